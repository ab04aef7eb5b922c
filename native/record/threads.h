// The calling thread's number in the file.
#pragma once

#include "chunk_writer.h"

namespace copyscope::record {

/// The system's number of the calling thread, told to the file with the thread's name the first time.
std::uint32_t toldThread(ChunkWriter& writer);

/// Counts forks: what a thread remembers from before one is of another process.
std::uint32_t forkCount();
/// In a forked child.
void countFork();

}  // namespace copyscope::record
