"use strict";
// Camera: orthographic in 2D, rotating about a point in 3D.

class Camera {
  constructor(canvas, scene, changed) {
    this.canvas = canvas;
    this.scene = scene;
    this.flat = scene.dim === 2;
    this.changed = changed;
    this.fit();
    this.listen();
  }

  fit() {
    const { low, high, up } = this.scene;
    this.target = scale(add(low, high), 0.5);
    this.extent = sub(high, low);
    this.radius = 0.5 * length(this.extent) || 1;
    this.side = perpendicular(up);
    this.front = cross(up, this.side);
    this.azimuth = -0.6;
    this.elevation = 0.38;
    this.zoom = 1;
    this.changed();
  }

  // Half the visible height at the target [m].
  get half() {
    const aspect = this.canvas.clientWidth / Math.max(this.canvas.clientHeight, 1);
    const flat = 0.5 * Math.max(this.extent[1], this.extent[0] / aspect) * 1.06;
    return (this.flat ? flat : this.radius * 1.02 * Math.max(1, 1 / aspect)) / this.zoom || 1;
  }

  get direction() {
    if (this.flat) return [0, 0, 1];
    const horizontal = add(scale(this.side, Math.cos(this.azimuth)), scale(this.front, Math.sin(this.azimuth)));
    return add(scale(horizontal, Math.cos(this.elevation)), scale(this.scene.up, Math.sin(this.elevation)));
  }

  get matrix() {
    const aspect = this.canvas.clientWidth / Math.max(this.canvas.clientHeight, 1), half = this.half;
    const up = this.flat ? [0, 1, 0] : this.scene.up;
    if (this.flat) {
      const view = lookAt(add(this.target, [0, 0, this.radius]), this.target, up);
      return product(orthographic(half * aspect, half, 100 * this.radius), view);
    }
    const angle = 0.6, far = half / Math.tan(0.5 * angle);
    const view = lookAt(add(this.target, scale(this.direction, far)), this.target, up);
    return product(perspective(angle, aspect, 0.02 * far, far + 20 * this.radius), view);
  }

  pan(dx, dy) {
    const metresPerPixel = 2 * this.half / this.canvas.clientHeight;
    const right = this.flat ? [1, 0, 0] : unit(cross(this.scene.up, this.direction));
    const above = this.flat ? [0, 1, 0] : cross(this.direction, right);
    this.target = add(this.target, add(scale(right, -dx * metresPerPixel), scale(above, dy * metresPerPixel)));
  }

  listen() {
    const canvas = this.canvas, pointers = new Map();
    canvas.addEventListener("pointerdown", (event) => {
      pointers.set(event.pointerId, event);
      canvas.setPointerCapture(event.pointerId);
    });
    for (const end of ["pointerup", "pointercancel"])
      canvas.addEventListener(end, (event) => pointers.delete(event.pointerId));
    canvas.addEventListener("pointermove", (event) => {
      const last = pointers.get(event.pointerId);
      if (!last) return;
      const dx = event.clientX - last.clientX, dy = event.clientY - last.clientY;
      if (pointers.size > 1) {  // two fingers: zoom
        const other = [...pointers.values()].find((one) => one.pointerId !== event.pointerId);
        const distance = (one) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY) || 1;
        this.zoom *= distance(event) / distance(last);
      } else if (this.flat || event.shiftKey || event.buttons & 6) {
        this.pan(dx, dy);
      } else {
        this.azimuth -= 0.008 * dx;
        this.elevation = Math.min(1.5, Math.max(-1.5, this.elevation + 0.008 * dy));
      }
      pointers.set(event.pointerId, event);
      this.changed();
    });
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const box = canvas.getBoundingClientRect();
      const dx = event.clientX - box.left - 0.5 * box.width, dy = event.clientY - box.top - 0.5 * box.height;
      this.pan(-dx, -dy);  // the point under the pointer stays there
      this.zoom *= Math.exp(-0.0015 * event.deltaY);
      this.pan(dx, dy);
      this.changed();
    }, { passive: false });
    canvas.addEventListener("dblclick", () => this.fit());
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  }
}
