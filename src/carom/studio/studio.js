"use strict";
// Form of a model, list of runs, and page of the selected run.

(() => {
  const find = (id) => document.getElementById(id);
  const make = (tag, inside = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), inside);
    element.append(...children);
    return element;
  };
  const request = async (path, body) => {
    const options = body === undefined ? {} : {
      method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" },
    };
    const response = await fetch(path, options);
    const data = await response.json();
    if (!response.ok) throw new Error(data.error);
    return data;
  };
  const showError = (message) => {
    find("error").textContent = message;
    find("error").hidden = !message;
  };

  // Controls. Each has a name and returns its value as text, or "" if it was not changed.
  const short = (number) => String(Number(number.toPrecision(6)));
  const controls = new Map();

  const slider = (control) => {
    const box = make("input", { type: "text", value: control.value === "" ? "" : short(Number(control.value)), inputMode: "decimal" });
    if (control.step === undefined) {
      box.setAttribute("aria-label", control.name);
      return [box, () => box.value.trim()];
    }
    const range = make("input", { type: "range", min: control.low, max: control.high, step: control.step, value: control.value });
    range.setAttribute("aria-label", control.name);
    box.setAttribute("aria-label", `${control.name}, as a number`);
    range.addEventListener("input", () => { box.value = short(Number(range.value)); });
    box.addEventListener("input", () => {
      const value = Number(box.value.replace(",", "."));
      if (Number.isFinite(value)) range.value = value;
    });
    return [make("span", { className: "slide" }, range, box), () => box.value.trim()];
  };
  const menu = (control) => {
    const select = make("select", {}, ...control.choices.map((word) => make("option", { value: word, textContent: word || "default" })));
    select.value = control.value;
    select.setAttribute("aria-label", control.name);
    return [select, () => select.value];
  };
  const flag = (control) => {
    const box = make("input", { type: "checkbox", checked: control.value });
    return [box, () => (box.checked ? "true" : "false")];
  };
  const line = (control) => {
    const box = make("input", { type: "text", value: control.value });
    return [box, () => box.value.trim()];
  };
  const KINDS = { number: slider, integer: slider, choice: menu, flag, text: line };

  const fill = (parent, list) => {
    parent.replaceChildren();
    for (const control of list) {
      const [element, read] = KINDS[control.kind](control);
      parent.append(make("label", { className: "field" }, control.name.replaceAll("_", " "), element));
      const initial = read();
      controls.set(control.name, () => (read() === initial ? "" : read()));
    }
  };

  const choose = async (name) => {
    showError("");
    try {
      const source = await request(`api/source?name=${encodeURIComponent(name)}`);
      controls.clear();
      find("about").textContent = [source.title, source.description].filter(Boolean).join(". ");
      fill(find("parameters"), source.parameters);
      fill(find("options"), source.options);
    } catch (error) {
      showError(error.message);
    }
  };

  const loadSources = async (selected) => {
    const sources = await request("api/sources");
    const group = (label, list) => make("optgroup", { label }, ...list.map(([value, title]) => (
      make("option", { value, textContent: title, title: value }))));
    find("source").replaceChildren(
      ...(sources.models.length ? [group("opened files", sources.models.map((name) => [name, name]))] : []),
      group("gallery", sources.cases.map((one) => [one.name, one.title])));
    find("source").value = selected;
    await choose(selected);
  };

  // Runs.
  const runs = new Map();
  const show = (path, id) => {
    find("empty").hidden = true;
    find("result").hidden = false;
    find("result").src = path;
    runs.forEach((run) => run.item.classList.toggle("selected", run.state.id === id));
  };
  const draw = (run) => {
    const { state, item } = run, done = !["waiting", "running"].includes(state.state);
    const checked = run.box ? run.box.checked : false;
    run.box = make("input", { type: "checkbox", checked, disabled: !state.message, title: "select for comparison" });
    run.box.setAttribute("aria-label", `select run ${state.id}`);
    run.box.addEventListener("change", updateCompareButton);
    const name = make("button", { className: "name", textContent: `${state.id}: ${state.label}`, disabled: !state.message });
    name.addEventListener("click", () => show(`run/${state.id}/page`, state.id));
    const text = state.state === "running" ? `${Math.round(100 * state.fraction)} %` : state.state;
    const parts = [run.box, name, make("span", { className: "hint", textContent: text })];
    if (!done) {
      const bar = make("progress", { max: 1 });
      if (state.state === "running" && state.fraction > 0) bar.value = state.fraction;
      const stop = make("button", { textContent: "cancel" });
      stop.addEventListener("click", () => request(`run/${state.id}/cancel`, { id: state.id }).catch((error) => showError(error.message)));
      parts.push(bar, stop);
    } else if (state.error) parts.push(make("span", { className: "failed", textContent: state.error }));
    else {
      const link = (file, label) => make("a", { href: `run/${state.id}/${file}`, textContent: label });
      parts.push(make("span", { className: "links" }, link("report.html", "report"), link("result.h5", "result"), link("model.yaml", "model")));
    }
    item.dataset.state = state.state;
    item.replaceChildren(...parts);
  };
  const updateCompareButton = () => {
    find("compare").disabled = [...runs.values()].filter((run) => run.box.checked).length < 2;
  };
  const list = (state) => {
    const run = { state, item: make("li") };
    runs.set(state.id, run);
    find("runs").prepend(run.item);
    draw(run);
    return run;
  };
  const follow = async (run) => {
    try {
      while (["waiting", "running"].includes(run.state.state)) {
        await new Promise((wake) => setTimeout(wake, 200));
        run.state = await request(`run/${run.state.id}/state`);
        draw(run);
      }
      if (run.state.message) show(`run/${run.state.id}/page`, run.state.id);
    } catch (error) {
      showError(error.message);
    }
  };
  const restore = async () => {  // Runs that were started before the page was loaded.
    const earlier = (await request("api/runs")).map(list);
    const pending = earlier.filter((run) => ["waiting", "running"].includes(run.state.state));
    const last = earlier.filter((run) => run.state.message).pop();
    if (last) show(`run/${last.state.id}/page`, last.state.id);
    pending.forEach(follow);
  };

  find("form").addEventListener("submit", async (event) => {
    event.preventDefault();
    showError("");
    const values = Object.fromEntries([...controls].map(([name, read]) => [name, read()]).filter(([, value]) => value !== ""));
    try {
      follow(list(await request("api/run", { source: find("source").value, values })));
    } catch (error) {
      showError(error.message);
    }
  });
  find("reset").addEventListener("click", () => choose(find("source").value));
  find("source").addEventListener("change", () => choose(find("source").value));
  find("open").addEventListener("click", () => find("file").click());
  find("file").addEventListener("change", async () => {
    const [file] = find("file").files;
    find("file").value = "";
    if (!file) return;
    showError("");
    try {
      const model = await request("api/model", { name: file.name, text: await file.text() });
      await loadSources(model.name);
    } catch (error) {
      showError(error.message);
    }
  });
  find("compare").addEventListener("click", () => {
    const selected = [...runs.values()].filter((run) => run.box.checked).map((run) => run.state.id);
    show(`compare?runs=${selected.join(",")}`, null);
  });

  Promise.all([loadSources("slider_crank_block"), restore()]).then(() => { document.documentElement.dataset.ready = "yes"; }, (error) => showError(error.message));
})();
