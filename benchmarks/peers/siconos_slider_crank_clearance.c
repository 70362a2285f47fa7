/* Slider-crank with clearance in the angles of crank, rod and slider, as a plugin of Siconos.
   Numbers come from problems.py through `set`: lengths l1 l2 a b c, masses, inertias, gravity. */
#include <math.h>
typedef unsigned int U;
static double l1, l2, a, b, c, m1, m2, m3, J1, J2, J3, g, coupling;

void set(const double *n) {
  l1 = n[0]; l2 = n[1]; a = n[2]; b = n[3]; c = n[4]; m1 = n[5]; m2 = n[6]; m3 = n[7];
  J1 = n[8]; J2 = n[9]; J3 = n[10]; g = n[11]; coupling = (0.5 * m2 + m3) * l1 * l2;
}

void mass(U n, double *q, double *M, U nz, double *z) {
  for (int i = 0; i < 9; i++) M[i] = 0.0;
  M[0] = J1 + (0.25 * m1 + m2 + m3) * l1 * l1;
  M[1] = M[3] = coupling * cos(q[1] - q[0]);
  M[4] = J2 + (0.25 * m2 + m3) * l2 * l2;
  M[8] = J3;
}

void gyro(U n, double *q, double *v, double *F, U nz, double *z) {
  double k = coupling * sin(q[0] - q[1]);
  F[0] = k * v[1] * v[1]; F[1] = -k * v[0] * v[0]; F[2] = 0.0;
}

void gyro_by_q(U n, double *q, double *v, double *J, U nz, double *z) {
  double k = coupling * cos(q[0] - q[1]);
  for (int i = 0; i < 9; i++) J[i] = 0.0;
  J[0] = k * v[1] * v[1]; J[3] = -J[0]; J[1] = -k * v[0] * v[0]; J[4] = -J[1];
}

void gyro_by_v(U n, double *q, double *v, double *J, U nz, double *z) {
  double k = coupling * sin(q[0] - q[1]);
  for (int i = 0; i < 9; i++) J[i] = 0.0;
  J[1] = -2.0 * k * v[0]; J[3] = 2.0 * k * v[1];
}

void weight(double t, U n, double *q, double *v, double *F, U nz, double *z) {
  F[0] = (0.5 * m1 + m2 + m3) * g * l1 * cos(q[0]); F[1] = (0.5 * m2 + m3) * g * l2 * cos(q[1]); F[2] = 0.0;
}

static void gap(double sx, double sy, double *q, double *y, U ny) {
  y[0] = b + c - sy * (l1 * sin(q[0]) + l2 * sin(q[1]) + sx * a * sin(q[2]) + sy * b * cos(q[2]));
  if (ny > 1) y[1] = 0.0;
}

static void jacobian(double sx, double sy, double *q, double *W) { /* rows: across, along the guide; by columns */
  double cs = cos(q[2]), sn = sin(q[2]);
  W[0] = -sy * l1 * cos(q[0]); W[2] = -sy * l2 * cos(q[1]); W[4] = -sy * (sx * a * cs - sy * b * sn);
  W[1] = -l1 * sin(q[0]); W[3] = -l2 * sin(q[1]); W[5] = -sx * a * sn - sy * b * cs;
}

#define CORNER(i, sx, sy) \
  void gap##i(U n, double *q, U ny, double *y, U nz, double *z) { gap(sx, sy, q, y, ny); } \
  void jacobian##i(U n, double *q, U ny, double *W, U nz, double *z) { jacobian(sx, sy, q, W); }
CORNER(1, -1, 1) CORNER(2, 1, 1) CORNER(3, -1, -1) CORNER(4, 1, -1)
