# Needs Python 3.11 or newer with pip, and make. Everything else goes into .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LIBRARY := src/carom/kernels/prebuilt/kernels.json
PIP_INSTALL := $(BIN)/python -m pip install -q --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help run studio test test-all coverage prebuilt wheel lowest release docs bench clean distclean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: $(VENV)/.installed-run ## simulate a slider-crank that meets a block, and look at it; all goes to out/
	$(BIN)/carom run slider_crank_block --out out --open

studio: $(VENV)/.installed-run ## a page to choose models on, change them and run them
	$(BIN)/carom studio

# Byte code is shared by the workers and all processes they start.
test test-all: export PYTHONDONTWRITEBYTECODE =

test: $(VENV)/.installed-test ## ruff, mypy, and all tests that are not slow
	$(BIN)/ruff check .
	$(BIN)/ruff format --check -q .
	@test ! -e $(LIBRARY) || $(BIN)/python -m carom.kernels.library_builder
	@$(BIN)/mypy & types=$$!; $(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow" --durations 20; tests=$$?; wait $$types && exit $$tests

test-all: $(VENV)/.installed-test ## the slow tests, more random examples, and the numerical tests as other machines compute
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "slow or hypothesis" --hypothesis-profile long --durations 20
	.ci/machines

coverage: $(VENV)/.installed-coverage ## lines that tests reach, kernels as plain Python among them; goes to htmlcov/
	.ci/coverage

prebuilt: $(VENV)/.installed-run ## compile all kernels into a library, which runs and tests then use
	$(BIN)/python -m carom.kernels.library_builder

wheel: prebuilt ## the wheel of this platform, with all kernels compiled; goes to dist/
	$(BIN)/python -m pip wheel -q --disable-pip-version-check --no-deps -w dist .

lowest: ## a part of the tests with the lowest versions of all dependencies
	.ci/lowest

release: ## build the wheel, install it into an empty environment, run the gallery from it
	.ci/release

docs: $(VENV)/.installed-test ## the site with a page for every element; goes to site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

bench: $(VENV)/.installed-test prebuilt ## measure the speeds the design promises, and Exudyn, MuJoCo and Siconos beside them
	$(BIN)/python benchmarks/run.py

clean: ## remove results, builds and caches
	rm -rf out build dist site htmlcov .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -path ./$(VENV) -prune -o -type d -name __pycache__ -exec rm -rf {} +

distclean: clean ## the same, and the environment
	rm -rf $(VENV)

# A stamp is older than pyproject.toml when the dependencies may have changed; the package itself is installed editable.
$(VENV)/.installed-run: pyproject.toml | $(BIN)/python
	$(PIP_INSTALL) -e '.[all]'
	@touch $@

$(VENV)/.installed-test: pyproject.toml | $(BIN)/python
	$(PIP_INSTALL) -e '.[test]'
	@touch $@ $(VENV)/.installed-run

$(VENV)/.installed-coverage: pyproject.toml | $(BIN)/python
	$(PIP_INSTALL) -e '.[coverage]'
	@touch $@ $(VENV)/.installed-test $(VENV)/.installed-run

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
