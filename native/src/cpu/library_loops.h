// Matrix products and Fourier transforms by plain loops, for the CPU engine.
#pragma once

#include <cstddef>

#include "executor/program.h"
#include "executor/stop.h"

namespace copyscope {

/// Computes product (m by n) = first (m by k) times second (k by n), row by row. Ends early when a stop is requested.
void multiplyMatrices(const LibraryCall& call, const std::byte* first, const std::byte* second, std::byte* product,
                      const Stop& stop);

/// Computes forward transforms, not scaled, like cuFFT. Sizes that are no powers of two take quadratic time.
void transformAll(const LibraryCall& call, const std::byte* input, std::byte* output, const Stop& stop);

}  // namespace copyscope
