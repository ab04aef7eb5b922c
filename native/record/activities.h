// CUPTI's activity buffers: they come from a bounded pool, and returned buffers become records.
#pragma once

#include "cupti/cupti_library.h"

namespace copyscope::record {

/// Registers the buffers and the clock. Returns the error, or an empty text.
std::string connectActivities(const CuptiLibrary& cupti);
/// Makes buffers in advance, so that no thread of the program has to.
void makeBuffersReady();
/// Enables the kinds of a recording; a light one leaves out kernels and events. Returns the error, or an empty text.
std::string enableActivities(const CuptiLibrary& cupti, bool light);
void disableActivities(const CuptiLibrary& cupti);
/// The host's waits alone.
void disableWaits(const CuptiLibrary& cupti);
/// Ends what connectActivities began.
void disconnectActivities(const CuptiLibrary& cupti);

}  // namespace copyscope::record
