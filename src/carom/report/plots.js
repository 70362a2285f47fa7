"use strict";
// Curves over time on canvases that share the time axis and the time of the animation.

const LEFT = 64, RIGHT = 12, TOP = 8, BOTTOM = 24;

class Plots {
  constructor(place, panels, span, seek) {
    this.whole = span;
    this.span = [...span];
    this.seek = seek;
    this.time = span[0];
    this.panels = panels.map((panel, k) => new Panel(this, place, panel, k === panels.length - 1));
  }

  theme(colours) {
    this.colours = colours;
    this.draw();
  }

  at(time) {
    this.time = time;
    this.draw();
  }

  zoom(low, high) {
    const [first, last] = this.whole, least = 1e-9 * (last - first);
    const width = Math.min(Math.max(high - low, least), last - first);
    const start = Math.min(Math.max(low, first), last - width);
    this.span = [start, start + width];
    this.draw();
  }

  draw() {
    if (this.drawRequested || !this.colours) return;
    this.drawRequested = true;
    requestAnimationFrame(() => {
      this.drawRequested = false;
      this.panels.forEach((panel) => panel.draw());
    });
  }
}

class Panel {
  constructor(plots, place, panel, last) {
    this.plots = plots;
    this.last = last;
    this.label = panel.label;
    this.curves = panel.curves.map((curve, k) => (
      { name: curve.name, t: decode(curve.t), y: decode(curve.y), colour: k, shown: true }));
    const box = place.appendChild(document.createElement("figure"));
    box.className = "panel";
    const head = box.appendChild(document.createElement("figcaption"));
    const title = head.appendChild(document.createElement("span"));
    title.className = "title";
    title.textContent = panel.label;
    for (const curve of this.curves) head.appendChild(this.legend(curve));
    this.canvas = box.appendChild(document.createElement("canvas"));
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", `${panel.label} over time`);
    this.listen();
    new ResizeObserver(() => plots.draw()).observe(this.canvas);
  }

  legend(curve) {
    const entry = document.createElement("button");
    entry.className = "legend";
    entry.setAttribute("aria-pressed", "true");
    entry.title = "show or hide";
    const line = entry.appendChild(document.createElement("i"));
    line.style.background = `var(--c${curve.colour % 7})`;
    entry.appendChild(document.createTextNode(curve.name));
    curve.value = entry.appendChild(document.createElement("output"));
    entry.addEventListener("click", () => {
      curve.shown = !curve.shown;
      entry.setAttribute("aria-pressed", String(curve.shown));
      this.plots.draw();
    });
    return entry;
  }

  listen() {
    const canvas = this.canvas, plots = this.plots;
    const time = (event) => {
      const box = canvas.getBoundingClientRect(), [low, high] = plots.span;
      return low + (high - low) * (event.clientX - box.left - LEFT) / (box.width - LEFT - RIGHT);
    };
    let start = null;
    canvas.addEventListener("pointerdown", (event) => {
      start = event;
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      this.hover = time(event);
      if (start) this.brush = [time(start), this.hover];
      plots.draw();
    });
    canvas.addEventListener("pointerup", (event) => {
      if (start && Math.abs(event.clientX - start.clientX) > 4) plots.zoom(...[time(start), time(event)].sort((a, b) => a - b));
      else if (start) plots.seek(time(event));
      start = this.brush = null;
    });
    canvas.addEventListener("pointerleave", () => {
      this.hover = null;
      plots.draw();
    });
    canvas.addEventListener("dblclick", () => plots.zoom(...plots.whole));
    canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.shiftKey) return;  // let the page scroll
      event.preventDefault();
      const [low, high] = plots.span, at = time(event), factor = Math.exp(0.0015 * (event.deltaY || event.deltaX));
      plots.zoom(at + (low - at) * factor, at + (high - at) * factor);
    }, { passive: false });
  }

  draw() {
    const canvas = this.canvas, pixelRatio = window.devicePixelRatio || 1, colours = this.plots.colours;
    const width = canvas.clientWidth, height = canvas.clientHeight;
    if (!width || !height) return;
    [canvas.width, canvas.height] = [Math.round(width * pixelRatio), Math.round(height * pixelRatio)];
    const pen = canvas.getContext("2d"), [t0, t1] = this.plots.span, [low, high] = this.range(t0, t1);
    const x = (t) => LEFT + (t - t0) / (t1 - t0) * (width - LEFT - RIGHT);
    const y = (v) => height - BOTTOM - (v - low) / (high - low) * (height - TOP - BOTTOM);
    pen.scale(pixelRatio, pixelRatio);
    pen.font = "11px system-ui, sans-serif";
    this.grid(pen, colours, x, y, [t0, t1], [low, high], width, height);
    pen.save();
    pen.beginPath();
    pen.rect(LEFT, TOP - 2, width - LEFT - RIGHT, height - TOP - BOTTOM + 4);
    pen.clip();
    for (const curve of this.curves) if (curve.shown) this.line(pen, curve, colours, x, y, t0, t1);
    if (this.brush) {
      pen.fillStyle = colours.brush;
      pen.fillRect(x(this.brush[0]), TOP, x(this.brush[1]) - x(this.brush[0]), height - TOP - BOTTOM);
    }
    this.cursor(pen, colours, x, y, height, 1e-12 * Math.max(Math.abs(low), Math.abs(high)));
    pen.restore();
  }

  grid(pen, colours, x, y, span, range, width, height) {
    pen.strokeStyle = colours.grid;
    pen.fillStyle = colours.text;
    pen.lineWidth = 1;
    pen.beginPath();
    const [ys, yDigits] = ticks(range[0], range[1], Math.max(2, height / 36));
    const [xs, xDigits] = ticks(span[0], span[1], Math.max(2, width / 110));
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (const v of ys) {
      pen.moveTo(LEFT, y(v));
      pen.lineTo(width - RIGHT, y(v));
      pen.fillText(formatNumber(v, yDigits), LEFT - 6, y(v));
    }
    pen.textAlign = "center";
    pen.textBaseline = "top";
    for (const t of xs) {
      pen.moveTo(x(t), TOP);
      pen.lineTo(x(t), height - BOTTOM);
      pen.fillText(formatNumber(t, xDigits), x(t), height - BOTTOM + 5);
    }
    pen.stroke();
    pen.textAlign = "right";
    pen.fillText("time [s]", LEFT - 12, height - BOTTOM + 5);
  }

  line(pen, curve, colours, x, y, t0, t1) {
    const first = Math.max(0, lastIndexBefore(curve.t, t0)), last = Math.min(curve.t.length - 1, lastIndexBefore(curve.t, t1) + 1);
    pen.strokeStyle = colours.curves[curve.colour % colours.curves.length];
    pen.lineWidth = 1.6;
    pen.lineJoin = "round";
    pen.beginPath();
    for (let i = first; i <= last; i++) pen.lineTo(x(curve.t[i]), y(curve.y[i]));
    pen.stroke();
  }

  cursor(pen, colours, x, y, height, nothing) {
    const shown = this.hover ?? this.plots.time;
    for (const [time, colour] of [[this.plots.time, colours.cursor], [this.hover, colours.text]]) {
      if (time === null || time === undefined) continue;
      pen.strokeStyle = colour;
      pen.lineWidth = 1;
      pen.beginPath();
      pen.moveTo(x(time), TOP);
      pen.lineTo(x(time), height - BOTTOM);
      pen.stroke();
    }
    for (const curve of this.curves) {
      const value = valueAt(curve, shown);
      curve.value.textContent = !Number.isFinite(value) ? "" : Math.abs(value) < nothing ? "0" : formatNumber(value, 4, true);
      if (!curve.shown || !Number.isFinite(value)) continue;
      pen.fillStyle = colours.curves[curve.colour % colours.curves.length];
      pen.beginPath();
      pen.arc(x(shown), y(value), 3, 0, 2 * Math.PI);
      pen.fill();
    }
  }

  range(t0, t1) {
    let low = Infinity, high = -Infinity;
    for (const curve of this.curves) {
      if (!curve.shown) continue;
      const last = Math.min(lastIndexBefore(curve.t, t1) + 1, curve.t.length - 1);
      for (let i = Math.max(0, lastIndexBefore(curve.t, t0)); i <= last; i++) {
        if (curve.y[i] < low) low = curve.y[i];
        if (curve.y[i] > high) high = curve.y[i];
      }
    }
    if (!(low <= high)) return [0, 1];
    const margin = 0.06 * (high - low) || 0.5 * Math.abs(high) || 1;
    return [low - margin, high + margin];
  }
}

// Return the last index whose time is not after t.
function lastIndexBefore(times, t) {
  let low = 0, high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] <= t) low = middle + 1; else high = middle;
  }
  return low - 1;
}

function valueAt(curve, t) {
  const i = lastIndexBefore(curve.t, t);
  if (i < 0) return NaN;
  if (i >= curve.t.length - 1) return curve.y[curve.t.length - 1];
  const s = (t - curve.t[i]) / (curve.t[i + 1] - curve.t[i] || 1);
  return curve.y[i] + s * (curve.y[i + 1] - curve.y[i]);
}

// Return about `count` round numbers between two values, and the digits that distinguish them.
function ticks(low, high, count) {
  const rough = (high - low) / count, power = Math.floor(Math.log10(rough)), base = 10 ** power;
  const step = base * ([1, 2, 5].find((m) => m * base >= rough) || 10);
  const values = [];
  for (let k = Math.ceil(low / step); k * step <= high + 1e-9 * step; k++) values.push(k * step);
  const size = Math.max(Math.abs(low), Math.abs(high));
  return [values, Math.max(1, Math.floor(Math.log10(size / step) + 1e-9) + 2)];
}

function formatNumber(value, digits, padded) {
  if (Math.abs(value) < 1e-300) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) {
    const [mantissa, power] = value.toExponential(Math.max(0, digits - 1)).split("e");
    const short = mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa;
    return `${short}e${Number(power)}`.replaceAll("-", "−");
  }
  const fixed = value.toPrecision(Math.min(Math.max(digits, 1), 15));
  const plain = fixed.includes("e") ? String(Number(fixed)) : fixed;
  return (padded || !plain.includes(".") ? plain : plain.replace(/\.?0+$/, "")).replace("-", "−");
}
