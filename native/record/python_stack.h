// The Python stack of the calling thread, through the interpreter's own functions as the process has them.
#pragma once

#include <cstdint>

#include "chunk_writer.h"

namespace copyscope::record {

/// The number of the calling thread's stack, told to the file where it is new. 0 without Python, for a thread that Python
/// doesn't know, and while the interpreter comes or goes. Takes the GIL, so it must not be called by who holds a lock that a
/// thread with the GIL may want.
std::uint32_t pythonStack(ChunkWriter& writer);

/// Forgets what was told: the next file starts anew.
void forgetPythonStacks();

}  // namespace copyscope::record
