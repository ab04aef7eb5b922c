// What a batch of copies is asked to do, and how.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "../layout.h"

namespace copyscope::copy {

// What the strategies do, in the order of their numbers:
// - blockingLoop: one copy and one synchronise a tensor, as Tensor.to does it.
// - nonBlockingLoop: all copies, then one synchronise.
// - pinThenCopy: a copy into pinned memory, a blocking copy, tensor by tensor.
// - pinThenCopyNonBlocking: the same without waiting in between, then one synchronise.
// - threadedPinning: several threads copy into pinned memory, and each submits what it has pinned.
// - packed: small tensors packed into staging buffers that go over in one copy each; large ones staged each on its own.
// - pipelined: worker threads fill a reused ring of pinned slots while earlier slots are on the wire.

/// Those of the packed strategy have the names and defaults of ACCV-Lab's multi-tensor copier. A number of 0, and what
/// has no value, is chosen from payload and cores.
struct CopyOptions {
  Strategy strategy = Strategy::pipelined;
  bool usePinnedStaging = true;
  bool packCpuTensors = true;
  bool useBackgroundThread = true;
  std::uint64_t minPackedAlignmentBytes = 16;
  std::uint64_t maxPackedChunkBytes = 32u << 20;
  /// Threads that copy on the host, the calling one among them.
  std::uint32_t threads = 0;
  std::uint32_t slotsPerThread = 0;
  std::uint64_t slotBytes = 0;
  /// Bytes of one transfer over the link, at most a slot's.
  std::uint64_t chunkBytes = 0;
  /// Whether slots, or D2H the targets, are filled past the caches.
  std::optional<bool> streamingStores;
};

/// Bytes up to which a contiguous host tensor is packed with others.
constexpr std::uint64_t packedTensorBytes = 256u << 10;
/// Bytes that the default ring holds in all.
constexpr std::uint64_t ringBytes = 64u << 20;

constexpr std::uint64_t roundUp(std::uint64_t value, std::uint64_t multiple) {
  const bool isPower = (multiple & (multiple - 1)) == 0;
  return isPower ? (value + multiple - 1) & ~(multiple - 1) : (value + multiple - 1) / multiple * multiple;
}

constexpr std::uint32_t noStorage = 0xffffffffu;

/// One tensor's bytes. In H2D and D2H `host` and `device` say where; in D2D and H2H `host` is the source.
struct Transfer {
  std::byte* host = nullptr;
  std::byte* device = nullptr;
  std::uint64_t bytes = 0;
  /// Number of the allocation on the device. What lies between transfers with the same one is padding: on the device,
  /// and for D2H on the host too. Only transfers of one allocation share a copy: CUDA refuses one that reaches from an
  /// allocation into the next, even where they touch.
  std::uint32_t storage = noStorage;
  /// Whether the host side is page-locked.
  bool pinned = false;
  /// Number of the allocation at `host`. D2H: what lies between targets with the same one is padding, wherever the
  /// sources lie.
  std::uint32_t hostStorage = noStorage;
};

/// A payload of many tensors, and how to copy it.
struct MultiCopyPlan {
  Direction direction = Direction::h2d;
  std::vector<std::uint64_t> sizes;
  /// Whether the host side is page-locked.
  bool pinned = false;
  CopyOptions options;
};

struct Batch {
  Direction direction = Direction::h2d;
  std::vector<Transfer> transfers;
  /// D2D only: the source lies on this device, if not on the engine's own.
  int sourceDevice = -1;
  std::uint64_t bytes() const {
    std::uint64_t sum = 0;
    for (const Transfer& transfer : transfers) sum += transfer.bytes;
    return sum;
  }
};

}  // namespace copyscope::copy
