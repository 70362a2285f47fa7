// Distances, contact manifolds and contacts of meshes by coal. `coal_pairs FILE` reads shapes and poses, and prints for
// each line of the file: name, seconds per query, mean of the distances or numbers of contacts.
#include <coal/BVH/BVH_model.h>
#include <coal/collision.h>
#include <coal/contact_patch.h>
#include <coal/distance.h>
#include <coal/shape/convex.h>
#include <coal/shape/geometric_shapes.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

using namespace coal;
using Clock = std::chrono::steady_clock;
using Shape = std::shared_ptr<CollisionGeometry>;

static Shape read_shape(std::istream& in) {
  std::string kind;
  in >> kind;
  double p, q, r;
  if (kind == "box") { in >> p >> q >> r; return std::make_shared<Box>(2 * p, 2 * q, 2 * r); }
  if (kind == "cylinder") { in >> p >> q; return std::make_shared<Cylinder>(p, 2 * q); }
  if (kind == "cone") { in >> p >> q; return std::make_shared<Cone>(p, 2 * q); }
  if (kind == "capsule") { in >> p >> q; return std::make_shared<Capsule>(p, 2 * q); }
  if (kind == "ellipsoid") { in >> p >> q >> r; return std::make_shared<Ellipsoid>(p, q, r); }
  size_t n_vertices, n_faces;
  in >> n_vertices >> n_faces;
  auto points = std::make_shared<std::vector<Vec3s>>(n_vertices);
  auto faces = std::make_shared<std::vector<Triangle>>(n_faces);
  for (auto& v : *points) in >> v[0] >> v[1] >> v[2];
  for (auto& f : *faces) { size_t i, j, k; in >> i >> j >> k; f = Triangle(i, j, k); }
  if (kind == "hull") return std::make_shared<Convex<Triangle>>(points, n_vertices, faces, n_faces);
  auto mesh = std::make_shared<BVHModel<OBBRSS>>();
  mesh->beginModel();
  mesh->addSubModel(*points, *faces);
  mesh->endModel();
  return mesh;
}

template <class Query>
static double best(const std::vector<Transform3s>& poses, int tries, Query query) {
  double least = 1e9;
  for (int t = 0; t < tries; ++t) {
    auto begin = Clock::now();
    for (auto& pose : poses) query(pose);
    least = std::min(least, std::chrono::duration<double>(Clock::now() - begin).count() / poses.size());
  }
  return least;
}

int main(int, char** arguments) {
  std::ifstream in(arguments[1]);
  std::string name, query;
  int n, tries;
  while (in >> name >> query >> n >> tries) {
    Shape a = read_shape(in), b = read_shape(in);
    std::vector<Transform3s> poses(n);
    for (auto& pose : poses) {
      Matrix3s r;
      Vec3s x;
      in >> x[0] >> x[1] >> x[2];
      for (int i = 0; i < 9; ++i) in >> r(i / 3, i % 3);
      pose = Transform3s(r, x);
    }
    Transform3s still;
    double sum = 0.0, seconds = 0.0;
    if (query == "distance") {
      ComputeDistance compute(a.get(), b.get());
      DistanceRequest request(true, true);
      request.gjk_initial_guess = GJKInitialGuess::CachedGuess;
      request.gjk_tolerance = request.epa_tolerance = 1e-8;
      request.gjk_max_iterations = request.epa_max_iterations = 256;
      DistanceResult result;
      seconds = best(poses, tries, [&](const Transform3s& pose) {
        result.clear();
        sum += compute(pose, still, request, result);
        request.updateGuess(result);
      });
    } else {
      CollisionRequest request(CONTACT, query == "mesh" ? 64 : 1);
      CollisionResult result;
      ContactPatchRequest patch_request;
      ContactPatchResult patches;
      if (query == "manifold") request.gjk_initial_guess = GJKInitialGuess::CachedGuess;
      seconds = best(poses, tries, [&](const Transform3s& pose) {
        result.clear();
        patches.clear();
        collide(a.get(), pose, b.get(), still, request, result);
        if (query == "manifold") {
          request.updateGuess(result);
          if (result.isCollision()) computeContactPatch(a.get(), pose, b.get(), still, result, patch_request, patches);
        }
        sum += result.numContacts();
      });
    }
    std::printf("%s %.6e %.12e\n", name.c_str(), seconds, sum / tries / n);
  }
}
