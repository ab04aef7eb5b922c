// Which of CUDA's functions are recorded, and as what. By name, so that new versions of a function are known too.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "format.h"

namespace copyscope::record {

/// As 'cudaMemcpyAsync' for CUPTI's 'cudaMemcpyAsync_ptsz_v7000'.
std::string plainName(std::string_view name);
/// Empty where calls of the function are not recorded.
std::optional<CallRole> roleOf(std::string_view plainName);
/// Index of the source's address among the parameters of a copy, whose first is the destination's. 0 if a copy has no such
/// parameters.
std::size_t sourceParameter(std::string_view plainName);

}  // namespace copyscope::record
