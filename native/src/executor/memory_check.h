// Refuses a program that needs more memory than available, before anything is allocated.
#pragma once

#include <cstdint>
#include <vector>

#include "executor/failure.h"
#include "executor/program.h"

namespace copyscope {

/// Returns a Failure `run.out-of-memory` that names the buffer and its bytes. `where` is "host" or "device".
Failure outOfMemory(const Buffer& buffer, const char* where);

/// Throws if the buffers in host memory exceed the available memory. `deviceToo` includes device buffers, which the CPU
/// engine holds in host memory.
void requireHostMemory(const Program& program, bool deviceToo);

/// Limits of page-locked memory during a run.
struct PinnedShares {
  /// Bytes for buffers made by operations.
  std::uint64_t operations = 0;
  /// Bytes for multi-tensor copies, by device: their tensors and staging memory.
  std::vector<std::uint64_t> copies;
};

/// Throws a Failure `run.pinned-budget` if the known page-locked memory exceeds a run's limit (pinnedBudget()).
PinnedShares requirePinnedMemory(const Program& program);

/// Throws if one device's buffers exceed its `available` bytes.
void requireDeviceMemory(const Program& program, int device, std::uint64_t available);

}  // namespace copyscope
