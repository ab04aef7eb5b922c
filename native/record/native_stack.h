// The stack of a calling thread of a program without Python.
#pragma once

#include <cstdint>

#include "chunk_writer.h"

namespace copyscope::record {

/// The number of the calling thread's stack from its call of CUDA on, told to the file where it is new; 0 where there is none.
/// A thread that calls from where it called before has its return addresses compared, which takes no unwinding.
std::uint32_t nativeStack(ChunkWriter& writer);

/// Forgets what was told: the next file starts anew.
void forgetNativeStacks();

}  // namespace copyscope::record
