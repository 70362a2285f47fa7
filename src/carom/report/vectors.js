"use strict";
// Decoding of arrays; vectors, quaternions and 4×4 matrices (by columns, as in WebGL).

const decode = (encoded) => {
  const text = atob(encoded.data);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return new { f32: Float32Array, f64: Float64Array, u16: Uint16Array, u32: Uint32Array, i32: Int32Array }[encoded.kind](
    bytes.buffer);
};

const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const scale = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const length = (a) => Math.hypot(a[0], a[1], a[2]);
const unit = (a) => scale(a, 1 / (length(a) || 1));
const perpendicular = (a) => unit(cross(a, Math.abs(a[2]) < 0.9 * length(a) ? [0, 0, 1] : [1, 0, 0]));

const rotate = (q, p) => {
  const u = [q[1], q[2], q[3]];
  const t = scale(cross(u, p), 2);
  return add(add(p, scale(t, q[0])), cross(u, t));
};

const columns = (x, y, z, at) => new Float32Array([...x, 0, ...y, 0, ...z, 0, ...at, 1]);
const poseMatrix = (at, q) => columns(rotate(q, [1, 0, 0]), rotate(q, [0, 1, 0]), rotate(q, [0, 0, 1]), at);

const product = (a, b) => {
  const c = new Float32Array(16);
  for (let j = 0; j < 4; j++)
    for (let i = 0; i < 4; i++)
      for (let k = 0; k < 4; k++) c[4 * j + i] += a[4 * k + i] * b[4 * j + k];
  return c;
};

const lookAt = (eye, target, up) => {
  const z = unit(sub(eye, target)), x = unit(cross(up, z)), y = cross(z, x);
  return new Float32Array([x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0,
    -dot(x, eye), -dot(y, eye), -dot(z, eye), 1]);
};

const perspective = (angle, aspect, near, far) => {
  const f = 1 / Math.tan(0.5 * angle);
  return new Float32Array([f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0,
    2 * far * near / (near - far), 0]);
};

const orthographic = (halfWidth, halfHeight, depth) =>
  new Float32Array([1 / halfWidth, 0, 0, 0, 0, 1 / halfHeight, 0, 0, 0, 0, -1 / depth, 0, 0, 0, 0, 1]);

const rgb = (hex) => [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16) / 255);
