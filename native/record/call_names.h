// The CUDA functions that are recorded, and their roles, by name, so that their new versions are included.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "format.h"

namespace copyscope::record {

/// Returns 'cudaMemcpyAsync' for CUPTI's 'cudaMemcpyAsync_ptsz_v7000'.
std::string plainName(std::string_view name);
/// Returns nothing for functions that are not recorded.
std::optional<CallRole> roleOf(std::string_view plainName);
/// Index of the source's address among a copy's parameters, of which the first is the destination's; 0 if there is
/// none.
std::size_t sourceParameter(std::string_view plainName);

}  // namespace copyscope::record
