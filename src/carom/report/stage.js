"use strict";
// Animation in WebGL: parts fixed on bodies, spheres, parts between two bodies, paths, contact points and forces.

const MESH_VERTEX = `#version 300 es
layout(location=0) in vec3 position;
uniform mat4 view, model;
out vec3 world;
void main() { vec4 p = model * vec4(position, 1.0); world = p.xyz; gl_Position = view * p; }`;

const SPHERE_VERTEX = `#version 300 es
layout(location=0) in vec3 position;
layout(location=1) in vec4 sphere;
layout(location=2) in vec4 rotation;
layout(location=3) in vec3 tint;
uniform mat4 view;
out vec3 normal, local, colour;
void main() {
  vec3 u = rotation.yzw, t = 2.0 * cross(u, position);
  normal = position + rotation.x * t + cross(u, t);
  local = position;
  colour = tint;
  gl_Position = view * vec4(sphere.xyz + sphere.w * normal, 1.0);
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
out vec4 pixel;
void main() {
  vec3 n = normalize(cross(dFdx(world), dFdy(world)));
  pixel = vec4(plain ? tint.rgb : lit(tint.rgb, n * sign(dot(n, eye))), 1.0) * tint.a;
}`;

const SPHERE_PIXEL = `#version 300 es
precision highp float;
in vec3 normal, local, colour;
${LIT}
out vec4 pixel;
void main() {  // octants have two shades, so that the rotation of a sphere is visible
  float shade = local.x * local.y * local.z > 0.0 ? 1.0 : 0.86;
  pixel = vec4(lit(colour * shade, normalize(normal)), 1.0);
}`;

const IDENTITY = columns([1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]);

class Stage {
  constructor(canvas, scene) {
    this.scene = scene;
    this.show = { forces: true, points: true, traces: true };
    this.gl = canvas.getContext("webgl2", { antialias: true, alpha: true, premultipliedAlpha: true });
    if (!this.gl) throw new Error("this browser does not support WebGL 2");
    this.canvas = canvas;
    this.frame = 0;
    this.colours = { ink: [0, 0, 0], paper: [1, 1, 1], faint: [0.5, 0.5, 0.5], dark: false };
    this.camera = new Camera(canvas, scene, () => this.requestDraw());
    this.build();
    new ResizeObserver(() => this.requestDraw()).observe(canvas);
  }

  build() {
    const gl = this.gl, scene = this.scene;
    this.meshProgram = this.program(MESH_VERTEX, MESH_PIXEL);
    this.sphereProgram = this.program(SPHERE_VERTEX, SPHERE_PIXEL);
    const mesh = (part) => ({ ...part, ...this.upload(decode(part.vertices), decode(part.faces)) });
    this.parts = scene.parts.map(mesh);
    if (scene.dim === 2) this.parts.sort((a, b) => a.layer - b.layer);
    else this.parts.sort((a, b) => b.opacity - a.opacity);
    this.twoBodyParts = scene.two_body_parts.map(mesh);
    this.traces = scene.traces.map((trace) => {
      const points = decode(trace.points);
      return { ...trace, ...this.upload(points, null), count: points.length / 3 };
    });
    this.arrow = this.upload(...arrow(scene.dim === 2));
    this.point = this.upload(...sphere(10));
    const sphereMesh = sphere(scene.spheres.reduce((n, group) => n + group.radii.count, 0) > 2000 ? 10 : 20);
    this.spheres = scene.spheres.map((group) => this.instances(group, sphereMesh));
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
    return { program, view: at("view"), model: at("model"), tint: at("tint"), plain: at("plain"), eye: at("eye"),
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

  instances(group, sphereMesh) {
    const gl = this.gl, count = group.colours.length, uploaded = this.upload(...sphereMesh);
    const instances = { ...uploaded, bodies: decode(group.bodies), centres: decode(group.centres), radii: decode(group.radii),
      colours: group.colours, total: count, positions: new Float32Array(4 * count), rotations: new Float32Array(4 * count) };
    const attach = (location, values, size) => {
      const buffer = this.buffer(values, gl.DYNAMIC_DRAW);
      gl.enableVertexAttribArray(location);
      gl.vertexAttribPointer(location, size, gl.FLOAT, false, 0, 0);
      gl.vertexAttribDivisor(location, 1);
      return buffer;
    };
    instances.positionBuffer = attach(1, instances.positions, 4);
    instances.rotationBuffer = attach(2, instances.rotations, 4);
    instances.tintBuffer = attach(3, new Float32Array(3 * count), 3);
    return instances;
  }

  theme(colours) {
    const gl = this.gl;
    this.colours = colours;
    for (const group of this.spheres) {
      gl.bindBuffer(gl.ARRAY_BUFFER, group.tintBuffer);
      gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(group.colours.flatMap((one) => this.tint(one))), gl.STATIC_DRAW);
    }
    this.requestDraw();
  }

  tint(colour) {
    if (colour[0] !== "#") return this.colours[colour];
    return this.colours.dark ? rgb(colour).map((part) => 0.3 + 0.7 * part) : rgb(colour);
  }

  // Return position and quaternion of a body, interpolated between two frames.
  pose(body) {
    if (body < 0) return [[0, 0, 0], [1, 0, 0, 0]];
    const scene = this.scene, k = Math.floor(this.frame), s = this.frame - k;
    const one = scene.pose(k, body), two = scene.pose(Math.min(k + 1, scene.frames - 1), body);
    const sign = one[1].reduce((sum, part, i) => sum + part * two[1][i], 0) < 0 ? -1 : 1;
    const mixed = one[1].map((part, i) => (1 - s) * part + s * sign * two[1][i]);
    const size = Math.hypot(...mixed) || 1;
    return [one[0].map((part, i) => (1 - s) * part + s * two[0][i]), mixed.map((part) => part / size)];
  }

  requestDraw() {
    if (this.drawRequested) return;
    this.drawRequested = true;
    requestAnimationFrame(() => {
      this.drawRequested = false;
      this.draw();
    });
  }

  draw() {
    const gl = this.gl, canvas = this.canvas, pixelRatio = window.devicePixelRatio || 1, flat = this.scene.dim === 2;
    const width = Math.round(canvas.clientWidth * pixelRatio), height = Math.round(canvas.clientHeight * pixelRatio);
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    gl.viewport(0, 0, width, height);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl[flat ? "disable" : "enable"](gl.DEPTH_TEST);
    this.poses = this.scene.bodies.map((_, k) => this.pose(k));
    for (const program of [this.sphereProgram, this.meshProgram]) {
      gl.useProgram(program.program);
      gl.uniformMatrix4fv(program.view, false, this.camera.matrix);
      gl.uniform3fv(program.eye, this.camera.direction);
      gl.uniform3fv(program.up, this.scene.up);
      if (program === this.sphereProgram) this.drawSpheres(flat);
    }
    let twoBodyPartsPending = true;
    const drawTwoBodyParts = () => {
      this.twoBodyParts.forEach((part) => this.drawTwoBodyPart(part));
      twoBodyPartsPending = false;
    };
    for (const part of this.parts) {
      if (twoBodyPartsPending && (part.opacity < 1 ? !flat : part.layer > 3.5)) drawTwoBodyParts();
      gl.depthMask(part.opacity >= 1);
      gl[part.one_sided ? "enable" : "disable"](gl.CULL_FACE);
      this.mesh(part, part.body < 0 ? IDENTITY : poseMatrix(...this.poses[part.body]), part.colour, part.opacity, part.flat);
    }
    gl.depthMask(true);
    gl.disable(gl.CULL_FACE);
    if (twoBodyPartsPending) drawTwoBodyParts();
    if (this.show.traces) this.traces.forEach((trace) => this.mesh(trace, IDENTITY, trace.colour, 0.9, true, gl.LINE_STRIP));
    gl.disable(gl.DEPTH_TEST);
    this.drawContacts();
    gl.bindVertexArray(null);
  }

  mesh(part, model, colour, opacity, plain, kind) {
    const gl = this.gl;
    gl.bindVertexArray(part.object);
    gl.uniformMatrix4fv(this.meshProgram.model, false, model);
    gl.uniform4f(this.meshProgram.tint, ...this.tint(colour), opacity);
    gl.uniform1i(this.meshProgram.plain, plain ? 1 : 0);
    if (kind === undefined) gl.drawElements(gl.TRIANGLES, part.count, gl.UNSIGNED_INT, 0);
    else gl.drawArrays(kind, 0, part.count);
  }

  drawSpheres(flat) {
    const gl = this.gl;
    if (flat) gl.enable(gl.DEPTH_TEST);  // only the upper halves of discs are visible
    for (const group of this.spheres) {
      for (let i = 0; i < group.total; i++) {
        const [at, q] = group.bodies[i] < 0 ? [[0, 0, 0], [1, 0, 0, 0]] : this.poses[group.bodies[i]];
        const centre = [group.centres[3 * i], group.centres[3 * i + 1], group.centres[3 * i + 2]];
        group.positions.set([...(centre[0] || centre[1] || centre[2] ? add(at, rotate(q, centre)) : at), group.radii[i]], 4 * i);
        group.rotations.set(q, 4 * i);
      }
      for (const [buffer, values] of [[group.positionBuffer, group.positions], [group.rotationBuffer, group.rotations]]) {
        gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
        gl.bufferSubData(gl.ARRAY_BUFFER, 0, values);
      }
      gl.bindVertexArray(group.object);
      gl.drawElementsInstanced(gl.TRIANGLES, group.count, gl.UNSIGNED_INT, 0, group.total);
    }
    if (flat) gl.disable(gl.DEPTH_TEST);
  }

  drawTwoBodyPart(part) {
    const end = (body, at) => {
      if (body < 0) return at;
      return add(this.poses[body][0], rotate(this.poses[body][1], at));
    };
    const start = end(part.a, part.at_a), along = sub(end(part.b, part.at_b), start);
    const flat = this.scene.dim === 2;
    const side = flat ? unit([-along[1], along[0], 0]) : perpendicular(along);
    this.mesh(part, columns(along, side, flat ? [0, 0, 1] : unit(cross(along, side)), start), part.colour, 1, flat);
  }

  drawContacts() {
    const contacts = this.scene.contacts, flat = this.scene.dim === 2;
    if (!contacts) return;
    const frame = Math.min(Math.ceil(this.frame), this.scene.frames - 1), count = contacts.names.length;
    const longest = 0.25 * length(sub(this.scene.high, this.scene.low)), size = this.scene.size;
    for (let k = 0; k < count; k++) {
      const i = 3 * (frame * count + k);
      const force = [...contacts.forces.subarray(i, i + 3)], ratio = length(force) / contacts.largest_force;
      if (!(ratio > 1e-4)) continue;
      const at = [...contacts.points.subarray(i, i + 3)], arrowLength = longest * Math.sqrt(ratio);
      const x = unit(force), y = flat ? [-x[1], x[0], 0] : perpendicular(x), halfWidth = Math.min(0.5 * size, 0.3 * arrowLength);
      if (this.show.forces)
        this.mesh(this.arrow, columns(scale(x, arrowLength), scale(y, halfWidth), scale(cross(x, y), halfWidth), at), "#d62728", 0.9, flat);
      if (this.show.points) {
        const r = 0.22 * size;
        this.mesh(this.point, columns([r, 0, 0], [0, r, 0], [0, 0, r], at), "#d62728", 1, flat);
      }
    }
  }
}

// Return a sphere of radius 1: positions, which are also the normals, and triangles.
function sphere(segments) {
  const rows = segments >> 1, positions = [], faces = [];
  for (let i = 0; i <= rows; i++)
    for (let j = 0; j <= segments; j++) {
      const a = Math.PI * i / rows, b = 2 * Math.PI * j / segments;
      positions.push(Math.sin(a) * Math.cos(b), Math.sin(a) * Math.sin(b), Math.cos(a));
      const k = i * (segments + 1) + j;
      if (i < rows && j < segments) faces.push(k, k + segments + 1, k + 1, k + 1, k + segments + 1, k + segments + 2);
    }
  return [new Float32Array(positions), new Uint32Array(faces)];
}

// Return an arrow of length 1 along x, flat or round.
function arrow(flat) {
  const profile = [[0, 0.22], [0.72, 0.22], [0.72, 0.8], [1, 0]], positions = [], faces = [];
  const angles = flat ? [0, Math.PI] : Array.from({ length: 13 }, (_, k) => 2 * Math.PI * k / 12);
  for (const [x, r] of profile) for (const a of angles) positions.push(x, r * Math.cos(a), flat ? 0 : r * Math.sin(a));
  const n = angles.length;
  for (let i = 0; i < 3; i++)
    for (let j = 0; j < n - 1; j++) {
      const k = i * n + j;
      faces.push(k, k + n, k + 1, k + 1, k + n, k + n + 1);
    }
  return [new Float32Array(positions), new Uint32Array(faces)];
}
