// Checks the results of matrix products and Fourier transforms against the patterns of their operands.
#pragma once

#include <cstddef>
#include <cstdint>

#include "executor/backend.h"
#include "executor/program.h"

namespace copyscope {

/// Recomputes numbers in double precision, by the definition: all of a small result, and of a larger one as many,
/// spread over it, as take about a second. A number is wrong if rounding can't explain the difference.
Comparison compareResult(const LibraryCall& call, const LibraryResult& result, const std::byte* data);

}  // namespace copyscope
