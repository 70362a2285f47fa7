// The quick-return mechanism with clearance in quadruple precision: source of the numbers in quick_return.py.
//     g++ -O2 quick_return_quad.cpp -lquadmath -o quick_return_quad && ./quick_return_quad 1e-21 14 0.065
// Arguments: tolerance of a step, columns of the extrapolation, end time. Prints every onset and separation
// (number, joint, time, normal speed) and, at the end, the slider's place and velocity.
//
// A formulation apart from quick_return.py: rocker (x, y, angle) and block (x, y) in Cartesian coordinates with the
// multiplier of the sliding joint, coupler (x, y, angle), slider x; time as independent variable throughout.

#include <quadmath.h>

#include <cstdio>
#include <cstdlib>

typedef __float128 real;
enum { COORDINATES = 9, STATES = 18, JOINTS = 4, MOST_COLUMNS = 24 };

const real M3 = 1.0Q, M4 = 0.5Q, M5 = 0.24Q, M6 = 0.5Q, J34 = 0.125Q, J5 = 0.012Q;
const real CRANK = 0.1Q, HALF_ROCKER = 0.25Q, HALF_COUPLER = 0.06Q, PIVOT = -0.25Q, LINE = 0.25Q;
const real SPEED = 3, GRAVITY = 9.81Q, CLEARANCE = 0.0005Q;
const real DAMPING = 0.75Q * (1 - 0.81Q);  // Lankarani-Nikravesh, c = 0.9
real stiffness;

bool touching[JOINTS];
real approach[JOINTS];
int columns;

struct Eccentricity {
    real x, y, vx, vy, size, rate;
};

void eccentricities(real t, const real* y, Eccentricity* e) {
    const real* v = y + COORDINATES;
    real ca = cosq(SPEED * t), sa = sinq(SPEED * t), a = HALF_ROCKER, b = HALF_COUPLER;
    real ux = cosq(y[2]), uy = sinq(y[2]), wx = cosq(y[7]), wy = sinq(y[7]);
    e[0] = {y[0] - a * ux, y[1] - a * uy - PIVOT, v[0] + a * v[2] * uy, v[1] - a * v[2] * ux};
    e[1] = {y[3] - CRANK * ca, y[4] - CRANK * sa, v[3] + SPEED * CRANK * sa, v[4] - SPEED * CRANK * ca};
    e[2] = {y[5] - b * wx - y[0] - a * ux, y[6] - b * wy - y[1] - a * uy,
            v[5] + b * v[7] * wy - v[0] + a * v[2] * uy, v[6] - b * v[7] * wx - v[1] - a * v[2] * ux};
    e[3] = {y[8] - y[5] - b * wx, LINE - y[6] - b * wy, v[8] - v[5] + b * v[7] * wy, -v[6] - b * v[7] * wx};
    for (int i = 0; i < JOINTS; i++) {
        e[i].size = sqrtq(e[i].x * e[i].x + e[i].y * e[i].y);
        e[i].rate = e[i].size > 0 ? (e[i].x * e[i].vx + e[i].y * e[i].vy) / e[i].size : 0;
    }
}

real indentation(real t, const real* y, int joint, real* rate) {
    Eccentricity e[JOINTS];
    eccentricities(t, y, e);
    *rate = e[joint].rate;
    return e[joint].size - CLEARANCE;
}

void rates(real t, const real* y, real* f) {
    Eccentricity e[JOINTS];
    eccentricities(t, y, e);
    real px[JOINTS], py[JOINTS];  // on the second part of each joint
    for (int i = 0; i < JOINTS; i++) {
        real depth = e[i].size - CLEARANCE, force = 0;
        if (touching[i] && depth > 0)
            force = stiffness * depth * sqrtq(depth) * (1 + DAMPING * e[i].rate / approach[i]) / e[i].size;
        px[i] = -force * e[i].x;
        py[i] = -force * e[i].y;
    }
    const real* v = y + COORDINATES;
    real ux = cosq(y[2]), uy = sinq(y[2]), wx = cosq(y[7]), wy = sinq(y[7]), nx = -uy, ny = ux;
    real q0 = px[0] - px[2], q1 = py[0] - py[2] - M3 * GRAVITY;
    real q2 = -HALF_ROCKER * (ux * (py[0] + py[2]) - uy * (px[0] + px[2]));
    real q3 = px[1], q4 = py[1] - M4 * GRAVITY;
    // n·(r4 − r3) = 0 twice differentiated, for the multiplier
    real dx = y[3] - y[0], dy = y[4] - y[1], dvx = v[3] - v[0], dvy = v[4] - v[1];
    real lever = -(ux * dx + uy * dy);
    real gamma = 2 * v[2] * (ux * dvx + uy * dvy) + v[2] * v[2] * (nx * dx + ny * dy);
    real free = (nx * q3 + ny * q4) / M4 - (nx * q0 + ny * q1) / M3 + lever * q2 / J34;
    real lambda = (gamma - free) / (1 / M3 + 1 / M4 + lever * lever / J34);
    for (int i = 0; i < COORDINATES; i++) f[i] = v[i];
    f[9] = (q0 - lambda * nx) / M3;
    f[10] = (q1 - lambda * ny) / M3;
    f[11] = (q2 + lambda * lever) / J34;
    f[12] = (q3 + lambda * nx) / M4;
    f[13] = (q4 + lambda * ny) / M4;
    f[14] = (px[2] - px[3]) / M5;
    f[15] = (py[2] - py[3]) / M5 - GRAVITY;
    f[16] = -HALF_COUPLER * (wx * (py[2] + py[3]) - wy * (px[2] + px[3])) / J5;
    f[17] = px[3] / M6;
}

// Extrapolated midpoint rule; returns the error estimate, positions weighed by 1e-6 m, velocities by 0.1 m/s.
real step(real t, const real* y, real length, real* out) {
    real table[MOST_COLUMNS][STATES], slope[STATES], f[STATES], before[STATES], now[STATES];
    rates(t, y, slope);
    for (int j = 0; j < columns; j++) {
        int n = 2 * (j + 1);
        real h = length / n;
        for (int i = 0; i < STATES; i++) before[i] = y[i], now[i] = y[i] + h * slope[i];
        for (int k = 1; k < n; k++) {
            rates(t + k * h, now, f);
            for (int i = 0; i < STATES; i++) {
                real next = before[i] + 2 * h * f[i];
                before[i] = now[i];
                now[i] = next;
            }
        }
        for (int k = 0; k < j; k++) {
            real ratio = (real)(j + 1) / (j - k), weight = ratio * ratio - 1;
            for (int i = 0; i < STATES; i++) {
                real next = now[i] + (now[i] - table[k][i]) / weight;
                table[k][i] = now[i];
                now[i] = next;
            }
        }
        for (int i = 0; i < STATES; i++) table[j][i] = now[i];
    }
    real error = 0;
    for (int i = 0; i < STATES; i++) {
        out[i] = table[columns - 1][i];
        real part = fabsq(out[i] - table[columns - 2][i]) / (i < COORDINATES ? 1e-6Q : 0.1Q);
        if (!(part <= error)) error = part;
    }
    return error;
}

// Fraction of the step at which a joint begins (or ends) to touch; 2 if it does not.
real crossing(real t, const real* y, real length, const real* end, int joint) {
    real way = touching[joint] ? -1 : 1, rate0, rate1, rate, z[STATES];
    real low = 0, high = 1;
    real f_low = way * indentation(t, y, joint, &rate0), f_high = way * indentation(t + length, end, joint, &rate1);
    if (f_high <= 0) {  // a short touch inside the step?
        if (!(way * rate0 > 0 && way * rate1 < 0 && f_low < 0)) return 2;
        real left = 0, right = 1;
        for (int k = 0; k < 60 && f_high <= 0; k++) {
            high = (left + right) / 2;
            step(t, y, length * high, z);
            f_high = way * indentation(t + length * high, z, joint, &rate);
            (way * rate > 0 ? left : right) = high;
        }
        if (f_high <= 0) return 2;
    }
    if (f_low > -1e-26Q) {  // it has just passed the surface the other way: look for a point beyond
        for (int k = 0; k < 60; k++) {
            real middle = high / 2;
            step(t, y, length * middle, z);
            real f = way * indentation(t + length * middle, z, joint, &rate);
            if (f < 0) {
                low = middle;
                f_low = f;
                break;
            }
            high = middle;
            f_high = f;
        }
        if (low == 0) return 2;
    }
    int side = 0;
    for (int k = 0; k < 200 && high - low > 1e-31Q * high; k++) {
        real x = (low * f_high - high * f_low) / (f_high - f_low);
        if (!(x > low && x < high)) x = (low + high) / 2;
        step(t, y, length * x, z);
        real f = way * indentation(t + length * x, z, joint, &rate);
        if (fabsq(f) < 1e-30Q) return x;
        if (f > 0) {
            high = x, f_high = f;
            if (side > 0) f_low /= 2;
            side = 1;
        } else {
            low = x, f_low = f;
            if (side < 0) f_high /= 2;
            side = -1;
        }
    }
    return high;
}

void start(real* y) {
    real reach = sqrtq(CRANK * CRANK + PIVOT * PIVOT), ux = CRANK / reach, uy = -PIVOT / reach, a = HALF_ROCKER;
    real turn = SPEED * CRANK * ux / reach;
    real tip_x = 2 * a * ux, tip_y = PIVOT + 2 * a * uy, tip_vx = -turn * 2 * a * uy, tip_vy = turn * 2 * a * ux;
    real rise = LINE - tip_y, run = sqrtq(4 * HALF_COUPLER * HALF_COUPLER - rise * rise), turn5 = -tip_vy / run;
    real state[STATES] = {a * ux, PIVOT + a * uy, atan2q(uy, ux), CRANK, 0,
                          tip_x + run / 2, tip_y + rise / 2, atan2q(rise, run), tip_x + run,
                          -turn * a * uy, turn * a * ux, turn, 0, SPEED * CRANK,
                          tip_vx - turn5 * rise / 2, tip_vy + turn5 * run / 2, turn5, tip_vx - turn5 * rise};
    for (int i = 0; i < STATES; i++) y[i] = state[i];
}

void print(int number, int joint, const char* what, real t, real speed) {
    char a[64], b[64];
    quadmath_snprintf(a, sizeof a, "%.20Qg", t);
    quadmath_snprintf(b, sizeof b, "%.20Qg", speed);
    printf("%d %d %s %s %s\n", number, joint, what, a, b);
}

int main(int, char** argument) {
    real tolerance = strtoflt128(argument[1], 0), end = strtoflt128(argument[3], 0);
    columns = atoi(argument[2]);
    stiffness = 4 / (6 * (1 - 0.09Q) / 207e9Q) * sqrtq(1 / (1 / 0.0095Q - 1 / 0.01Q));
    real y[STATES], z[STATES], t = 0, size = 1e-4Q, rate;
    start(y);
    int count = 0, number[JOINTS];
    while (t < end) {
        if (size > 5e-4Q) size = 5e-4Q;
        real h = size < end - t ? size : end - t;
        real error = step(t, y, h, z);
        if (!(error <= tolerance)) {
            real factor = error == error ? 0.9Q * powq(error / tolerance, -1.0Q / (2 * columns - 1)) : 0.1Q;
            size = h * (factor > 0.1Q ? factor : 0.1Q);
            continue;
        }
        real first = 2;
        int joint = -1;
        for (int i = 0; i < JOINTS; i++) {
            real fraction = crossing(t, y, h, z, i);
            if (fraction < first) first = fraction, joint = i;
        }
        if (joint >= 0) step(t, y, h * first, z);
        t += joint >= 0 ? h * first : h;
        for (int i = 0; i < STATES; i++) y[i] = z[i];
        if (joint < 0) {
            real factor = error > 0 ? 0.9Q * powq(error / tolerance, -1.0Q / (2 * columns - 1)) : 3;
            size = h * (factor < 3 ? factor : 3);
            continue;
        }
        indentation(t, y, joint, &rate);
        touching[joint] = !touching[joint];
        if (touching[joint]) {
            approach[joint] = rate;
            number[joint] = ++count;
            print(count, joint, "on", t, rate);
            size = 1e-8Q;
        } else {
            print(number[joint], joint, "off", t, -rate);
            size = 1e-6Q;
        }
    }
    print(0, 0, "slider", y[8], y[17]);
}
