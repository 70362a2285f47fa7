"""Triangle meshes: files, topology, the tables of the kernels, and distances."""
