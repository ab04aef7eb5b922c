// CUPTI's activity buffers: handed out from a bounded pool, and what comes back becomes records.
#pragma once

#include "cupti_library.h"

namespace copyscope::record {

/// Registers the buffers and the clock. Empty, or what failed.
std::string connectActivities(const CuptiLibrary& cupti);
/// The kinds of a recording; kernels and events are left out of a light one. Empty, or what failed.
std::string enableActivities(const CuptiLibrary& cupti, bool light);
void disableActivities(const CuptiLibrary& cupti);

}  // namespace copyscope::record
