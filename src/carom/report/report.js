"use strict";
// Puts the page to work: animation, plots and controls fraction one time.

(() => {
  const data = JSON.parse(document.getElementById("run").textContent);
  const find = (id) => document.getElementById(id);
  const span = data.span;

  const unpack = (scene) => {
    const decoded = { ...scene, frames: scene.frames, poses: decode(scene.poses) };
    const bodies = scene.bodies.length;
    if (scene.contacts)
      decoded.contacts = { ...scene.contacts, points: decode(scene.contacts.points), forces: decode(scene.contacts.forces) };
    if (scene.quantised) {  // positions to 1/65535 of the box; orientations of the bodies where they are visible
      const { low, high } = scene.quantised, step = high.map((part, i) => (part - low[i]) / 65535);
      const turning = decode(scene.quantised.turning), quaternions = decode(scene.quantised.quaternions);
      const place = new Int32Array(bodies).fill(-1);
      turning.forEach((body, k) => { place[body] = k; });
      const orientation = (frame, body) => {
        if (place[body] < 0) return [1, 0, 0, 0];
        const i = 4 * (frame * turning.length + place[body]);
        return [0, 1, 2, 3].map((k) => quaternions[i + k] / 32767 - 1);
      };
      decoded.pose = (frame, body) => {
        const i = 3 * (frame * bodies + body);
        return [[0, 1, 2].map((k) => low[k] + step[k] * decoded.poses[i + k]), orientation(frame, body)];
      };
    } else {
      decoded.pose = (frame, body) => {
        const i = 7 * (frame * bodies + body), p = decoded.poses;
        return [[p[i], p[i + 1], p[i + 2]], [p[i + 3], p[i + 4], p[i + 5], p[i + 6]]];
      };
    }
    return decoded;
  };

  let stage = null;
  try {
    stage = new Stage(find("stage"), unpack(data.scene));
  } catch (error) {
    find("no-stage").textContent = `No animation: ${error.message}.`;
    find("no-stage").hidden = false;
  }
  const plots = new Plots(find("plots"), data.panels, span, (time) => seek(time));

  const state = { time: span[0], playing: false, last: 0 };
  const frames = data.scene.frames;
  const seek = (time) => {
    state.time = Math.min(Math.max(time, span[0]), span[1]);
    const fraction = span[1] > span[0] ? (state.time - span[0]) / (span[1] - span[0]) : 0;
    find("scrub").value = String(1000 * fraction);
    find("time").textContent = `${state.time.toFixed(data.digits)} s`;
    if (stage) {
      stage.frame = fraction * (frames - 1);
      stage.requestDraw();
    }
    plots.at(state.time);
  };

  const play = (on) => {
    state.playing = on;
    find("play").textContent = on ? "❚❚" : "▶";
    find("play").setAttribute("aria-label", on ? "pause" : "play");
    if (!on) return;
    if (state.time >= span[1]) seek(span[0]);
    state.last = performance.now();
    requestAnimationFrame(step);
  };
  const step = (now) => {
    if (!state.playing) return;
    const passed = Math.max(0, now - state.last) / 1000 * Number(find("speed").value);
    state.last = now;
    seek(state.time + passed);
    if (state.time < span[1]) requestAnimationFrame(step);
    else if (find("loop").checked) {
      seek(span[0]);
      requestAnimationFrame(step);
    } else play(false);
  };

  find("play").addEventListener("click", () => play(!state.playing));
  find("scrub").addEventListener("input", (event) => {
    play(false);
    seek(span[0] + (span[1] - span[0]) * Number(event.target.value) / 1000);
  });
  find("fit").addEventListener("click", () => stage && stage.camera.fit());
  for (const name of ["forces", "points", "traces"]) {
    const box = find(name);
    box.parentElement.hidden = name === "traces" ? !data.scene.traces.length : !data.scene.contacts;
    box.addEventListener("change", () => {
      if (!stage) return;
      stage.show[name] = box.checked;
      stage.requestDraw();
    });
  }
  document.querySelectorAll("[data-time]").forEach((row) => row.addEventListener("click", () => {
    play(false);
    seek(Number(row.dataset.time));
  }));
  document.addEventListener("keydown", (event) => {
    if (event.target.closest("input, select, button, summary, pre")) return;
    const move = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === " ") play(!state.playing);
    else if (move) seek(state.time + move * (span[1] - span[0]) / Math.max(frames - 1, 1));
    else return;
    event.preventDefault();
  });

  const darkMode = window.matchMedia("(prefers-color-scheme: dark)");
  const theme = () => {
    const style = getComputedStyle(document.documentElement), read = (name) => style.getPropertyValue(name).trim();
    const dark = read("--dark") === "1";
    find("theme").textContent = dark ? "☀" : "☾";
    if (stage) stage.theme({ ink: rgb(read("--ink")), paper: rgb(read("--paper")), faint: rgb(read("--faint")), dark });
    plots.theme({ text: read("--faint-text"), grid: read("--grid"), cursor: read("--accent"), brush: read("--brush"),
      curves: Array.from({ length: 7 }, (_, k) => read(`--c${k}`)) });
  };
  find("theme").addEventListener("click", () => {
    const root = document.documentElement;
    const dark = getComputedStyle(root).getPropertyValue("--dark").trim() === "1";
    root.dataset.theme = dark ? "light" : "dark";
    theme();
  });
  darkMode.addEventListener("change", theme);
  theme();
  seek(span[0]);
  document.documentElement.dataset.ready = "yes";
})();
