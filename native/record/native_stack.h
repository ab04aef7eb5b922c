// The stack of a calling thread of a program without Python.
#pragma once

#include <cstdint>

#include "chunk_writer.h"

namespace copyscope::record {

/// Returns the number of the calling thread's stack above its CUDA call, after writing it to the file if it is new; 0
/// if there is none. For a repeated call only the return addresses are compared, without unwinding.
std::uint32_t nativeStack(ChunkWriter& writer);

/// Forgets the written stacks, since the next file is new.
void forgetNativeStacks();

}  // namespace copyscope::record
