// The Python stack of the calling thread.
#pragma once

#include <cstdint>

#include "chunk_writer.h"

namespace copyscope::record {

/// Returns the number of the calling thread's stack, after writing it to the file if it is new. Returns 0 without
/// Python, for a thread unknown to Python, and while the interpreter starts or ends. A known stack is found without the
/// GIL if the layout of frames is proven (frame_layout.h). Any other needs the GIL, so `mayLock()` is called first: it
/// must return false if the caller holds a lock that a thread with the GIL may want. Then the number is 0.
std::uint32_t pythonStack(ChunkWriter& writer, bool (*mayLock)());

/// Forgets the written stacks, since the next file is new.
void forgetPythonStacks();

}  // namespace copyscope::record
