// The memory of a benchmark: grown if a larger size is needed, kept from one request to the next.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "bench/bench_request.h"
#include "cuda/cuda_calls.h"
#include "executor/host_memory.h"

namespace copyscope::bench {

class BenchMemory {
 public:
  BenchMemory() : pinnedBudget_(pinnedBudget()) {}

  /// Returns page-aligned host memory of this kind, of at least `bytes`.
  std::byte* host(HostMemory memory, std::uint64_t bytes);
  /// Returns memory of the device with this number, and makes that current.
  std::byte* device(int index, std::uint64_t bytes, std::size_t which);

 private:
  struct HostBlock {
    Pages pageable;
    PinnedMemory pinned;
    std::byte* address = nullptr;
    std::uint64_t bytes = 0;
  };
  struct DeviceBlock {
    DeviceMemory memory;
    std::uint64_t bytes = 0;
    int device = -1;
  };

  std::array<HostBlock, hostMemoryCount> host_;
  std::array<DeviceBlock, 3> device_;
  const std::uint64_t pinnedBudget_;
  std::uint64_t pinnedBytes_ = 0;
};

}  // namespace copyscope::bench
