// The calling thread's number in the file.
#pragma once

#include "chunk_writer.h"

namespace copyscope::record {

/// Returns the system's number of the calling thread, after writing it to the file with its name the first time.
std::uint32_t toldThread(ChunkWriter& writer);

/// Number of forks: data of a thread from before the last one is of another process.
std::uint32_t forkCount();
/// Called in a forked child.
void countFork();

}  // namespace copyscope::record
