// Refuses a program that asks for more memory than there is, before anything is allocated.
#pragma once

#include <cstdint>
#include <vector>

#include "failure.h"
#include "program.h"

namespace copyscope {

/// Failure `run.out-of-memory` that names the buffer and its bytes. `where` is "host" or "device".
Failure outOfMemory(const Buffer& buffer, const char* where);

/// Throws where the buffers held in host memory exceed what the system can give. `deviceToo` counts device buffers in,
/// as the CPU engine holds them in host memory.
void requireHostMemory(const Program& program, bool deviceToo);

/// Who may pin how many bytes during a run.
struct PinnedShares {
  /// Buffers made by operations.
  std::uint64_t operations = 0;
  /// Multi-tensor copies, by device: their tensors, and what they are staged in.
  std::vector<std::uint64_t> copies;
};

/// Throws a Failure `run.pinned-budget` where what is known to be page-locked exceeds what a run may pin
/// (pinnedBudget()).
PinnedShares requirePinnedMemory(const Program& program);

/// Throws where one device's buffers exceed the `available` bytes of it.
void requireDeviceMemory(const Program& program, int device, std::uint64_t available);

}  // namespace copyscope
