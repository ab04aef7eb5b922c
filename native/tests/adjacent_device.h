// A simulated device with adjacent allocations, as CUDA's may be, which refuses a copy across two of them, as
// cudaMemcpyAsync does (cudaErrorInvalidValue).
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>

#include "copy/host_copy_device.h"
#include "executor/failure.h"

namespace copyscope::testing {

class AdjacentDevice final : public copy::HostCopyDevice {
 public:
  AdjacentDevice() : HostCopyDevice(0), pinned_(new std::byte[arenaBytes]), device_(new std::byte[arenaBytes]) {}

  void* allocatePinned(std::size_t bytes) override { return take(pinned_, pinnedUsed_, bytes); }
  void freePinned(void*) noexcept override {}
  void* allocateDevice(std::size_t bytes) override { return take(device_, deviceUsed_, bytes); }
  void freeDevice(void*) noexcept override {}

  void copy(void* target, const void* source, std::size_t bytes, copy::Direction direction,
            copy::StreamRef stream) override {
    refuseAcross(target, bytes);
    refuseAcross(source, bytes);
    HostCopyDevice::copy(target, source, bytes, direction, stream);
  }

 private:
  static constexpr std::size_t arenaBytes = std::size_t{16} << 20;

  /// Not zeroed, since a test makes dozens of these devices, and uses little of each.
  using Arena = std::unique_ptr<std::byte[]>;

  void* take(const Arena& arena, std::size_t& used, std::size_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (used + bytes > arenaBytes) return nullptr;
    std::byte* const memory = arena.get() + used;
    used += bytes;
    blocks_[memory] = bytes;
    return memory;
  }

  void refuseAcross(const void* memory, std::size_t bytes) {
    const auto* const start = static_cast<const std::byte*>(memory);
    const std::lock_guard<std::mutex> lock(mutex_);
    auto block = blocks_.upper_bound(start);
    if (block == blocks_.begin()) return;
    --block;
    const std::byte* const end = block->first + block->second;
    // Memory after an arena's last block belongs to no allocation.
    if (start < end && start + bytes > end) {
      throw Failure("engine.cuda", "A copy reaches from one allocation into the next.");
    }
  }

  std::mutex mutex_;
  const Arena pinned_;
  const Arena device_;
  std::size_t pinnedUsed_ = 0;
  std::size_t deviceUsed_ = 0;
  std::map<const std::byte*, std::size_t> blocks_;
};

}  // namespace copyscope::testing
