/* Contact laws F = K d^1.5 (1 + a d') between two sliding bodies, as MuJoCo's passive-force callback.
   MuJoCo has no such law of its own; compiled, the callback costs it nothing worth mentioning. */
#include <math.h>
#include <mujoco/mujoco.h>

static int first, second, touching;
static double stiffness, offset, damping, factor;

/* Bodies by their degrees of freedom; indentation = q[first] - q[second] + offset.
   damping > 0 is a itself; factor > 0 gives a = factor / approach speed, taken when a contact begins. */
void choose(int i, int j, double k, double o, double a, double f) {
  first = i; second = j; stiffness = k; offset = o; damping = a; factor = f; touching = 0;
}

void law(const mjModel *m, mjData *d) {
  double depth = d->qpos[first] - d->qpos[second] + offset;
  if (depth <= 0.0) { touching = 0; return; }
  double rate = d->qvel[first] - d->qvel[second];
  if (!touching) {
    touching = 1;
    if (factor > 0.0) damping = factor / rate;
  }
  double force = stiffness * depth * sqrt(depth) * (1.0 + damping * rate);
  d->qfrc_passive[first] -= force;
  d->qfrc_passive[second] += force;
}
