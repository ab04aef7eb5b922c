// The task and the options of a batch of copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "executor/layout.h"

namespace copyscope::copy {

// The strategies, in the order of their numbers:
// - blockingLoop: one copy and one synchronise per tensor, like Tensor.to.
// - nonBlockingLoop: all copies, then one synchronise.
// - pinThenCopy: a copy into pinned memory, a blocking copy, tensor by tensor.
// - pinThenCopyNonBlocking: the same without waits in between, then one synchronise.
// - threadedPinning: several threads copy into pinned memory, and each submits its own copies.
// - packed: small tensors are packed into staging buffers, with one copy each; large ones are staged singly.
// - pipelined: worker threads fill a reused ring of pinned slots while earlier slots are on the wire.

/// Options of the packed strategy have the names and defaults of ACCV-Lab's multi-tensor copier. A number of 0 or a
/// missing value is chosen from payload and cores.
struct CopyOptions {
  Strategy strategy = Strategy::pipelined;
  bool usePinnedStaging = true;
  bool packCpuTensors = true;
  bool useBackgroundThread = true;
  std::uint64_t minPackedAlignmentBytes = 16;
  std::uint64_t maxPackedChunkBytes = 32u << 20;
  /// Threads that copy on the host, including the calling one.
  std::uint32_t threads = 0;
  std::uint32_t slotsPerThread = 0;
  std::uint64_t slotBytes = 0;
  /// Bytes of one transfer over the link, at most a slot's.
  std::uint64_t chunkBytes = 0;
  /// Fills slots, or D2H targets, bypassing the caches.
  std::optional<bool> streamingStores;
};

/// Bytes up to which a contiguous host tensor is packed with others.
constexpr std::uint64_t packedTensorBytes = 256u << 10;
/// Bytes of the default ring in all.
constexpr std::uint64_t ringBytes = 64u << 20;

constexpr std::uint64_t roundUp(std::uint64_t value, std::uint64_t multiple) {
  const bool isPower = (multiple & (multiple - 1)) == 0;
  return isPower ? (value + multiple - 1) & ~(multiple - 1) : (value + multiple - 1) / multiple * multiple;
}

constexpr std::uint32_t noStorage = 0xffffffffu;

/// One tensor's bytes. In H2D and D2H `host` and `device` are its addresses; in D2D and H2H `host` is the source.
struct Transfer {
  std::byte* host = nullptr;
  std::byte* device = nullptr;
  std::uint64_t bytes = 0;
  /// Number of the allocation on the device. Bytes between transfers of one allocation are padding: on the device, and
  /// for D2H on the host too. Only transfers of one allocation share a copy, since CUDA refuses a copy across two
  /// allocations, even if they touch.
  std::uint32_t storage = noStorage;
  /// True if the host side is page-locked.
  bool pinned = false;
  /// Number of the allocation at `host`. D2H: bytes between targets of one allocation are padding, wherever the sources
  /// are.
  std::uint32_t hostStorage = noStorage;
};

/// A payload of many tensors, and how to copy it.
struct MultiCopyPlan {
  Direction direction = Direction::h2d;
  std::vector<std::uint64_t> sizes;
  /// True if the host side is page-locked.
  bool pinned = false;
  CopyOptions options;
};

struct Batch {
  Direction direction = Direction::h2d;
  std::vector<Transfer> transfers;
  /// D2D only: device of the source, if it isn't the engine's own.
  int sourceDevice = -1;
  std::uint64_t bytes() const {
    std::uint64_t sum = 0;
    for (const Transfer& transfer : transfers) sum += transfer.bytes;
    return sum;
  }
};

}  // namespace copyscope::copy
