"use strict";
// The form of a model, the list of runs, and the page of the one that is shown.

(() => {
  const find = (id) => document.getElementById(id);
  const make = (tag, inside = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), inside);
    element.append(...children);
    return element;
  };
  const ask = async (path, body) => {
    const options = body === undefined ? {} : {
      method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" },
    };
    const answer = await fetch(path, options);
    const told = await answer.json();
    if (!answer.ok) throw new Error(told.error);
    return told;
  };
  const trouble = (message) => {
    find("trouble").textContent = message;
    find("trouble").hidden = !message;
  };

  // Controls. Each has a name and says its value as text, or "" for what it began with.
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
    const select = make("select", {}, ...control.choices.map((word) => make("option", { value: word, textContent: word || "as it is" })));
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
  const KINDS = { number: slider, whole: slider, choice: menu, flag, text: line };

  const fill = (place, list) => {
    place.replaceChildren();
    for (const control of list) {
      const [element, read] = KINDS[control.kind](control);
      place.append(make("label", { className: "field" }, control.name.replaceAll("_", " "), element));
      const before = read();
      controls.set(control.name, () => (read() === before ? "" : read()));
    }
  };

  const choose = async (name) => {
    trouble("");
    try {
      const told = await ask(`api/source?name=${encodeURIComponent(name)}`);
      controls.clear();
      find("about").textContent = [told.title, told.description].filter(Boolean).join(". ");
      fill(find("parameters"), told.parameters);
      fill(find("options"), told.options);
    } catch (error) {
      trouble(error.message);
    }
  };

  const sources = async (chosen) => {
    const told = await ask("api/sources");
    const group = (label, list) => make("optgroup", { label }, ...list.map(([value, title]) => (
      make("option", { value, textContent: title, title: value }))));
    find("source").replaceChildren(
      ...(told.models.length ? [group("opened", told.models.map((name) => [name, name]))] : []),
      group("gallery", told.cases.map((one) => [one.name, one.title])));
    find("source").value = chosen;
    await choose(chosen);
  };

  // Runs.
  const runs = new Map();
  let shown = null;

  const show = (path, id) => {
    shown = id;
    find("empty").hidden = true;
    find("shown").hidden = false;
    find("shown").src = path;
    runs.forEach((run) => run.item.classList.toggle("shown", run.told.id === id));
  };
  const draw = (run) => {
    const { told, item } = run, done = !["waiting", "running"].includes(told.state);
    const chosen = run.box ? run.box.checked : false;
    run.box = make("input", { type: "checkbox", checked: chosen, disabled: !told.message, title: "choose to compare" });
    run.box.setAttribute("aria-label", `choose run ${told.id}`);
    run.box.addEventListener("change", weigh);
    const name = make("button", { className: "name", textContent: `${told.id}: ${told.label}`, disabled: !told.message });
    name.addEventListener("click", () => show(`run/${told.id}/page`, told.id));
    const state = told.state === "running" ? `${Math.round(100 * told.fraction)} %` : told.state;
    const parts = [run.box, name, make("span", { className: "hint", textContent: state })];
    if (!done) {
      const bar = make("progress", { max: 1 });
      if (told.state === "running" && told.fraction > 0) bar.value = told.fraction;
      const stop = make("button", { textContent: "cancel" });
      stop.addEventListener("click", () => ask(`run/${told.id}/cancel`, { id: told.id }).catch((error) => trouble(error.message)));
      parts.push(bar, stop);
    } else if (told.error) parts.push(make("span", { className: "failed", textContent: told.error }));
    else {
      const link = (what, text) => make("a", { href: `run/${told.id}/${what}`, textContent: text });
      parts.push(make("span", { className: "links" }, link("report.html", "report"), link("result.h5", "result"), link("model.yaml", "model")));
    }
    item.dataset.state = told.state;
    item.replaceChildren(...parts);
  };
  const weigh = () => {
    find("compare").disabled = [...runs.values()].filter((run) => run.box.checked).length < 2;
  };
  const list = (told) => {
    const run = { told, item: make("li") };
    runs.set(told.id, run);
    find("runs").prepend(run.item);
    draw(run);
    return run;
  };
  const follow = async (run) => {
    try {
      while (["waiting", "running"].includes(run.told.state)) {
        await new Promise((wake) => setTimeout(wake, 200));
        run.told = await ask(`run/${run.told.id}/state`);
        draw(run);
      }
      if (run.told.message) show(`run/${run.told.id}/page`, run.told.id);
    } catch (error) {
      trouble(error.message);
    }
  };
  const restore = async () => {  // runs that were started before the page was loaded
    const before = (await ask("api/runs")).map(list);
    const pending = before.filter((run) => ["waiting", "running"].includes(run.told.state));
    const last = before.filter((run) => run.told.message).pop();
    if (last) show(`run/${last.told.id}/page`, last.told.id);
    pending.forEach(follow);
  };

  find("form").addEventListener("submit", async (event) => {
    event.preventDefault();
    trouble("");
    const values = Object.fromEntries([...controls].map(([name, read]) => [name, read()]).filter(([, value]) => value !== ""));
    try {
      follow(list(await ask("api/run", { source: find("source").value, values })));
    } catch (error) {
      trouble(error.message);
    }
  });
  find("reset").addEventListener("click", () => choose(find("source").value));
  find("source").addEventListener("change", () => choose(find("source").value));
  find("open").addEventListener("click", () => find("file").click());
  find("file").addEventListener("change", async () => {
    const [file] = find("file").files;
    find("file").value = "";
    if (!file) return;
    trouble("");
    try {
      const told = await ask("api/model", { name: file.name, text: await file.text() });
      await sources(told.name);
    } catch (error) {
      trouble(error.message);
    }
  });
  find("compare").addEventListener("click", () => {
    const chosen = [...runs.values()].filter((run) => run.box.checked).map((run) => run.told.id);
    show(`compare?runs=${chosen.join(",")}`, null);
  });

  Promise.all([sources("slider_crank_block"), restore()]).then(() => { document.documentElement.dataset.ready = "yes"; }, (error) => trouble(error.message));
})();
