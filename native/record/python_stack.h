// The Python stack of the calling thread.
#pragma once

#include <cstdint>

#include "chunk_writer.h"

namespace copyscope::record {

/// The number of the calling thread's stack, told to the file where it is new. 0 without Python, for a thread that Python
/// doesn't know, and while the interpreter comes or goes.
///
/// A stack that was taken before is found without the GIL, where the layout of frames is proven (frame_layout.h). Any other
/// takes the GIL, so `mayLock()` is asked first: it must say no where the caller holds a lock that a thread with the GIL may
/// want. Then the number is 0.
std::uint32_t pythonStack(ChunkWriter& writer, bool (*mayLock)());

/// Forgets what was told: the next file starts anew.
void forgetPythonStacks();

}  // namespace copyscope::record
