// The relevant CUDA calls of the host, from CUPTI's callbacks at their begin and end. Only recorded functions have
// callbacks, so that others cost nothing.
#pragma once

#include "chunk_writer.h"
#include "cupti/cupti_library.h"

namespace copyscope::record {

/// Subscribes to CUPTI, and writes the names of the recorded functions to the file. Returns the error, or an empty
/// text. If another tool is the subscriber, sets `isTaken` and returns its name.
std::string subscribe(const CuptiLibrary& cupti, ChunkWriter& writer, bool& isTaken);
/// Enables callbacks for all recorded functions. A light recording leaves out launches and events.
void enableCalls(const CuptiLibrary& cupti, bool light);
void disableCalls(const CuptiLibrary& cupti);
void unsubscribe(const CuptiLibrary& cupti);

}  // namespace copyscope::record
