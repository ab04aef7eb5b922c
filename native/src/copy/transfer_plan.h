// How a batch goes through pinned slots: chunks that fill a slot each, units of host work, and runs over the link.
#pragma once

#include <cstdint>
#include <vector>

#include "copy_options.h"

namespace copyscope::copy {

/// A piece of one tensor, and where it lies in the slot. Null where the transfer doesn't say where it lies on the host.
struct Segment {
  std::byte* host = nullptr;
  std::uint64_t bytes = 0;
  std::uint64_t slotOffset = 0;
};

/// One copy between the slot and the device.
struct LinkRun {
  std::byte* device = nullptr;
  std::uint64_t bytes = 0;
  std::uint64_t slotOffset = 0;
};

/// Runs next to each other in a slot that a kernel brings together on the device, so that they cross the link at once.
struct Gathering {
  std::uint32_t firstRun = 0;
  std::uint32_t endRun = 0;
  /// The part of the slot that they take up, the gaps between them included.
  std::uint64_t slotOffset = 0;
  std::uint64_t bytes = 0;
  /// Place of its first piece among those of its chunk.
  std::uint32_t firstPiece = 0;
};

/// Host work that one thread takes at once.
struct Unit {
  std::uint32_t chunk = 0;
  std::uint32_t firstSegment = 0;
  std::uint32_t endSegment = 0;
};

struct Chunk {
  std::uint64_t bytes = 0;
  std::uint32_t firstRun = 0;
  std::uint32_t endRun = 0;
  std::uint32_t units = 0;
  std::uint32_t firstGathering = 0;
  std::uint32_t endGathering = 0;
  /// Of all its gatherings.
  std::uint32_t pieces = 0;
};

struct TransferPlan {
  std::vector<Segment> segments;
  std::vector<LinkRun> runs;
  std::vector<Unit> units;
  std::vector<Chunk> chunks;
  std::vector<Gathering> gatherings;
};

/// Where a run starts in its slot.
constexpr std::uint64_t runAlignment = 64;
/// Padding between two tensors up to this goes over the link with the data; a second copy would cost more.
constexpr std::uint64_t mostPadding = 512;
/// What can lie between two tensors in a slot.
constexpr std::uint64_t mostGapBytes = mostPadding + runAlignment;

/// A run longer than this crosses the link by itself: the kernel would read and write it once more for nothing.
constexpr std::uint64_t mostGatheredBytes = packedTensorBytes;
/// Fewer runs than this are copied one by one, which costs no more than a kernel does.
constexpr std::uint32_t leastGatheredRuns = 4;
/// What one block of the kernel copies at most.
constexpr std::uint64_t pieceBytes = 16u << 10;
constexpr std::uint64_t piecesOf(std::uint64_t bytes) { return (bytes + pieceBytes - 1) / pieceBytes; }

/// Cuts transfers, in order, into chunks of at most `chunkBytes` and units of about `unitBytes`. Those of one storage
/// with little or no padding between them share a run, which then carries old bytes over.
/// Reuses the plan's memory.
void planTransfers(const std::vector<Transfer>& transfers, std::uint64_t chunkBytes, std::uint64_t unitBytes,
                   TransferPlan& plan);

/// Finds what is worth gathering in each chunk. Returns the most pieces that a chunk has.
std::uint32_t planGatherings(TransferPlan& plan);

}  // namespace copyscope::copy
