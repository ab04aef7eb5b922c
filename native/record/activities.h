// CUPTI's activity buffers: handed out from a bounded pool, and what comes back becomes records.
#pragma once

#include "cupti_library.h"

namespace copyscope::record {

/// Registers the buffers and the clock. Empty, or what failed.
std::string connectActivities(const CuptiLibrary& cupti);
/// Makes buffers that will be needed, so that no thread of the program has to.
void makeBuffersReady();
/// The kinds of a recording; kernels and events are left out of a light one. Empty, or what failed.
std::string enableActivities(const CuptiLibrary& cupti, bool light);
void disableActivities(const CuptiLibrary& cupti);
/// Ends what connectActivities began.
void disconnectActivities(const CuptiLibrary& cupti);

}  // namespace copyscope::record
