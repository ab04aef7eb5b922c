// Checks what matrix products and Fourier transforms have written, against what their operands' patterns say.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend.h"
#include "program.h"

namespace copyscope {

/// Works numbers out again in double precision, by the definition: all of a small result, and of a larger one as many,
/// spread over it, as take about a second. A number counts as wrong where it is further off than rounding explains.
Comparison compareResult(const LibraryCall& call, const LibraryResult& result, const std::byte* data);

}  // namespace copyscope
