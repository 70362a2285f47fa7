"use strict";
// The animation in WebGL: parts fixed on bodies, balls, struts between bodies, paths, contact points and forces.

const MESH_VERTEX = `#version 300 es
layout(location=0) in vec3 place;
uniform mat4 seen, model;
out vec3 world;
void main() { vec4 p = model * vec4(place, 1.0); world = p.xyz; gl_Position = seen * p; }`;

const BALL_VERTEX = `#version 300 es
layout(location=0) in vec3 place;
layout(location=1) in vec4 ball;
layout(location=2) in vec4 turned;
layout(location=3) in vec3 tint;
uniform mat4 seen;
out vec3 normal, own, colour;
void main() {
  vec3 u = turned.yzw, t = 2.0 * cross(u, place);
  normal = place + turned.x * t + cross(u, t);
  own = place;
  colour = tint;
  gl_Position = seen * vec4(ball.xyz + ball.w * normal, 1.0);
}`;

const LIT = `
uniform vec3 eye, up;
vec3 lit(vec3 colour, vec3 n) {
  float front = abs(dot(n, eye)), above = 0.5 + 0.5 * dot(n, normalize(0.6 * eye + up));
  return colour * (0.42 + 0.28 * front + 0.36 * above);
}`;

const MESH_PIXEL = `#version 300 es
precision highp float;
in vec3 world;
uniform vec4 tint;
uniform bool plain;
${LIT}
out vec4 shown;
void main() {
  vec3 n = normalize(cross(dFdx(world), dFdy(world)));
  shown = vec4(plain ? tint.rgb : lit(tint.rgb, n * sign(dot(n, eye))), 1.0) * tint.a;
}`;

const BALL_PIXEL = `#version 300 es
precision highp float;
in vec3 normal, own, colour;
${LIT}
out vec4 shown;
void main() {  // octants of two shades, so that a ball is seen to turn
  float shade = own.x * own.y * own.z > 0.0 ? 1.0 : 0.86;
  shown = vec4(lit(colour * shade, normalize(normal)), 1.0);
}`;

const IDENTITY = columns([1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]);

class Stage {
  constructor(canvas, scene) {
    this.scene = scene;
    this.show = { forces: true, points: true, traces: true };
    this.gl = canvas.getContext("webgl2", { antialias: true, alpha: true, premultipliedAlpha: true });
    if (!this.gl) throw new Error("this browser shows no WebGL 2");
    this.canvas = canvas;
    this.frame = 0;
    this.colours = { ink: [0, 0, 0], paper: [1, 1, 1], faint: [0.5, 0.5, 0.5], night: false };
    this.camera = new Camera(canvas, scene, () => this.ask());
    this.build();
    new ResizeObserver(() => this.ask()).observe(canvas);
  }

  build() {
    const gl = this.gl, scene = this.scene;
    this.meshes = this.program(MESH_VERTEX, MESH_PIXEL);
    this.spheres = this.program(BALL_VERTEX, BALL_PIXEL);
    const mesh = (part) => ({ ...part, ...this.upload(decode(part.vertices), decode(part.faces)) });
    this.parts = scene.parts.map(mesh);
    if (scene.dim === 2) this.parts.sort((a, b) => a.layer - b.layer);
    else this.parts.sort((a, b) => b.opacity - a.opacity);
    this.struts = scene.struts.map(mesh);
    this.traces = scene.traces.map((trace) => {
      const points = decode(trace.points);
      return { ...trace, ...this.upload(points, null), count: points.length / 3 };
    });
    this.arrow = this.upload(...arrow(scene.dim === 2));
    this.point = this.upload(...ball(10));
    const grain = ball(scene.balls.reduce((n, group) => n + group.radius.count, 0) > 2000 ? 10 : 20);
    this.balls = scene.balls.map((group) => this.instances(group, grain));
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.clearColor(0, 0, 0, 0);
  }

  program(vertex, pixel) {
    const gl = this.gl, program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, pixel]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    const at = (name) => gl.getUniformLocation(program, name);
    return { program, seen: at("seen"), model: at("model"), tint: at("tint"), plain: at("plain"), eye: at("eye"),
      up: at("up") };
  }

  buffer(values, use) {
    const gl = this.gl, buffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, values, use || gl.STATIC_DRAW);
    return buffer;
  }

  upload(vertices, faces) {
    const gl = this.gl, object = gl.createVertexArray();
    gl.bindVertexArray(object);
    this.buffer(vertices);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
    if (faces) {
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, faces, gl.STATIC_DRAW);
    }
    return { object, count: faces ? faces.length : 0 };
  }

  instances(group, grain) {
    const gl = this.gl, count = group.colours.length, kept = this.upload(...grain);
    const own = { ...kept, bodies: decode(group.bodies), at: decode(group.at), radius: decode(group.radius),
      colours: group.colours, total: count, places: new Float32Array(4 * count), turns: new Float32Array(4 * count) };
    const attach = (location, values, size) => {
      const buffer = this.buffer(values, gl.DYNAMIC_DRAW);
      gl.enableVertexAttribArray(location);
      gl.vertexAttribPointer(location, size, gl.FLOAT, false, 0, 0);
      gl.vertexAttribDivisor(location, 1);
      return buffer;
    };
    own.placeBuffer = attach(1, own.places, 4);
    own.turnBuffer = attach(2, own.turns, 4);
    own.tintBuffer = attach(3, new Float32Array(3 * count), 3);
    return own;
  }

  theme(colours) {
    const gl = this.gl;
    this.colours = colours;
    for (const group of this.balls) {
      gl.bindBuffer(gl.ARRAY_BUFFER, group.tintBuffer);
      gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(group.colours.flatMap((one) => this.tint(one))), gl.STATIC_DRAW);
    }
    this.ask();
  }

  tint(colour) {
    if (colour[0] !== "#") return this.colours[colour];
    return this.colours.night ? rgb(colour).map((part) => 0.3 + 0.7 * part) : rgb(colour);
  }

  // Position and quaternion of a body between two frames.
  pose(body) {
    if (body < 0) return [[0, 0, 0], [1, 0, 0, 0]];
    const scene = this.scene, k = Math.floor(this.frame), s = this.frame - k;
    const one = scene.pose(k, body), two = scene.pose(Math.min(k + 1, scene.frames - 1), body);
    const sign = one[1].reduce((sum, part, i) => sum + part * two[1][i], 0) < 0 ? -1 : 1;
    const mixed = one[1].map((part, i) => (1 - s) * part + s * sign * two[1][i]);
    const size = Math.hypot(...mixed) || 1;
    return [one[0].map((part, i) => (1 - s) * part + s * two[0][i]), mixed.map((part) => part / size)];
  }

  ask() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      this.draw();
    });
  }

  draw() {
    const gl = this.gl, canvas = this.canvas, sharp = window.devicePixelRatio || 1, flat = this.scene.dim === 2;
    const width = Math.round(canvas.clientWidth * sharp), height = Math.round(canvas.clientHeight * sharp);
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    gl.viewport(0, 0, width, height);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl[flat ? "disable" : "enable"](gl.DEPTH_TEST);
    this.poses = this.scene.bodies.map((_, k) => this.pose(k));
    this.seen = this.camera.matrix;
    for (const program of [this.spheres, this.meshes]) {
      gl.useProgram(program.program);
      gl.uniformMatrix4fv(program.seen, false, this.seen);
      gl.uniform3fv(program.eye, this.camera.direction);
      gl.uniform3fv(program.up, this.scene.up);
      if (program === this.spheres) this.drawBalls();
    }
    let strutsLeft = true;
    const struts = () => {
      this.struts.forEach((strut) => this.drawStrut(strut));
      strutsLeft = false;
    };
    for (const part of this.parts) {
      if (strutsLeft && (part.opacity < 1 ? !flat : part.layer > 3.5)) struts();
      gl.depthMask(part.opacity >= 1);
      gl[part.one_sided ? "enable" : "disable"](gl.CULL_FACE);
      this.mesh(part, part.body < 0 ? IDENTITY : placed(...this.poses[part.body]), part.colour, part.opacity, part.flat);
    }
    gl.depthMask(true);
    gl.disable(gl.CULL_FACE);
    if (strutsLeft) struts();
    if (this.show.traces) this.traces.forEach((trace) => this.mesh(trace, IDENTITY, trace.colour, 0.9, true, gl.LINE_STRIP));
    gl.disable(gl.DEPTH_TEST);
    this.drawTouches();
    gl.bindVertexArray(null);
  }

  mesh(part, model, colour, opacity, plain, kind) {
    const gl = this.gl;
    gl.bindVertexArray(part.object);
    gl.uniformMatrix4fv(this.meshes.model, false, model);
    gl.uniform4f(this.meshes.tint, ...this.tint(colour), opacity);
    gl.uniform1i(this.meshes.plain, plain ? 1 : 0);
    if (kind === undefined) gl.drawElements(gl.TRIANGLES, part.count, gl.UNSIGNED_INT, 0);
    else gl.drawArrays(kind, 0, part.count);
  }

  drawBalls() {
    const gl = this.gl;
    for (const group of this.balls) {
      for (let i = 0; i < group.total; i++) {
        const [at, q] = group.bodies[i] < 0 ? [[0, 0, 0], [1, 0, 0, 0]] : this.poses[group.bodies[i]];
        const own = [group.at[3 * i], group.at[3 * i + 1], group.at[3 * i + 2]];
        group.places.set([...(own[0] || own[1] || own[2] ? add(at, turn(q, own)) : at), group.radius[i]], 4 * i);
        group.turns.set(q, 4 * i);
      }
      for (const [buffer, values] of [[group.placeBuffer, group.places], [group.turnBuffer, group.turns]]) {
        gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
        gl.bufferSubData(gl.ARRAY_BUFFER, 0, values);
      }
      gl.bindVertexArray(group.object);
      gl.drawElementsInstanced(gl.TRIANGLES, group.count, gl.UNSIGNED_INT, 0, group.total);
    }
  }

  drawStrut(strut) {
    const end = (body, at) => {
      if (body < 0) return at;
      return add(this.poses[body][0], turn(this.poses[body][1], at));
    };
    const start = end(strut.a, strut.at_a), along = sub(end(strut.b, strut.at_b), start);
    const flat = this.scene.dim === 2;
    const side = flat ? unit([-along[1], along[0], 0]) : across(along);
    this.mesh(strut, columns(along, side, flat ? [0, 0, 1] : unit(cross(along, side)), start), strut.colour, 1, flat);
  }

  drawTouches() {
    const touches = this.scene.touches, flat = this.scene.dim === 2;
    if (!touches) return;
    const frame = Math.min(Math.ceil(this.frame), this.scene.frames - 1), count = touches.names.length;
    const longest = 0.25 * length(sub(this.scene.high, this.scene.low)), size = this.scene.size;
    for (let k = 0; k < count; k++) {
      const i = 3 * (frame * count + k);
      const force = [...touches.forces.subarray(i, i + 3)], strength = length(force) / touches.largest;
      if (!(strength > 1e-4)) continue;
      const at = [...touches.points.subarray(i, i + 3)], reach = longest * Math.sqrt(strength);
      const x = unit(force), y = flat ? [-x[1], x[0], 0] : across(x), wide = Math.min(0.5 * size, 0.3 * reach);
      if (this.show.forces)
        this.mesh(this.arrow, columns(scale(x, reach), scale(y, wide), scale(cross(x, y), wide), at), "#d62728", 0.9, flat);
      if (this.show.points) {
        const r = 0.22 * size;
        this.mesh(this.point, columns([r, 0, 0], [0, r, 0], [0, 0, r], at), "#d62728", 1, flat);
      }
    }
  }
}

// A ball of radius 1: places, which are normals as well, and triangles.
function ball(around) {
  const rows = around >> 1, places = [], faces = [];
  for (let i = 0; i <= rows; i++)
    for (let j = 0; j <= around; j++) {
      const a = Math.PI * i / rows, b = 2 * Math.PI * j / around;
      places.push(Math.sin(a) * Math.cos(b), Math.sin(a) * Math.sin(b), Math.cos(a));
      const k = i * (around + 1) + j;
      if (i < rows && j < around) faces.push(k, k + around + 1, k + 1, k + 1, k + around + 1, k + around + 2);
    }
  return [new Float32Array(places), new Uint32Array(faces)];
}

// An arrow of length 1 along x with a head of half width 1, flat or round.
function arrow(flat) {
  const profile = [[0, 0.22], [0.72, 0.22], [0.72, 0.8], [1, 0]], places = [], faces = [];
  const turns = flat ? [0, Math.PI] : Array.from({ length: 13 }, (_, k) => 2 * Math.PI * k / 12);
  for (const [x, r] of profile) for (const a of turns) places.push(x, r * Math.cos(a), flat ? 0 : r * Math.sin(a));
  const n = turns.length;
  for (let i = 0; i < 3; i++)
    for (let j = 0; j < n - 1; j++) {
      const k = i * n + j;
      faces.push(k, k + n, k + 1, k + 1, k + n, k + n + 1);
    }
  return [new Float32Array(places), new Uint32Array(faces)];
}
