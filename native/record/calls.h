// The host's CUDA calls that matter, from CUPTI's callbacks at their begin and end. Only the functions that are recorded have
// callbacks: that costs the others nothing.
#pragma once

#include "chunk_writer.h"
#include "cupti_library.h"

namespace copyscope::record {

/// Becomes CUPTI's subscriber, and tells the file the names of the functions that are recorded. Empty, or what failed;
/// where another tool is the subscriber already, `isTaken` and that one's name.
std::string subscribe(const CuptiLibrary& cupti, ChunkWriter& writer, bool& isTaken);
/// Callbacks for all that is recorded. Launches and events are left out of a light recording.
void enableCalls(const CuptiLibrary& cupti, bool light);
void disableCalls(const CuptiLibrary& cupti);
void unsubscribe(const CuptiLibrary& cupti);

}  // namespace copyscope::record
