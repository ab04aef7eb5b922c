// Refuses a program that asks for more memory than there is, before anything is allocated.
#pragma once

#include "failure.h"
#include "program.h"

namespace copyscope {

/// Failure `run.out-of-memory` that names the buffer and its bytes. `where` is "host" or "device".
Failure outOfMemory(const Buffer& buffer, const char* where);

/// Throws where the buffers held in host memory exceed what the system can give. `deviceToo` counts device buffers in,
/// as the CPU engine holds them in host memory.
void requireHostMemory(const Program& program, bool deviceToo);

/// Throws a Failure `run.pinned-budget` where the page-locked buffers exceed what a run may pin (pinnedBudget()). Returns
/// what is left of that for buffers made by operations.
std::uint64_t requirePinnedMemory(const Program& program);

/// Throws where one device's buffers exceed the `available` bytes of it.
void requireDeviceMemory(const Program& program, int device, std::uint64_t available);

}  // namespace copyscope
