// The way of a batch through pinned slots: chunks that fill a slot each, units of host work, and runs over the link.
#pragma once

#include <cstdint>
#include <vector>

#include "copy/copy_options.h"

namespace copyscope::copy {

/// A piece of one tensor, and its place in the slot. The host address is null if the transfer lacks it.
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

/// Adjacent runs in a slot that a kernel distributes on the device, so that they cross the link together.
struct Gathering {
  std::uint32_t firstRun = 0;
  std::uint32_t endRun = 0;
  /// Their part of the slot, including gaps.
  std::uint64_t slotOffset = 0;
  std::uint64_t bytes = 0;
  /// Index of its first piece among those of its chunk.
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
  /// Pieces of all its gatherings.
  std::uint32_t pieces = 0;
};

struct TransferPlan {
  std::vector<Segment> segments;
  std::vector<LinkRun> runs;
  std::vector<Unit> units;
  std::vector<Chunk> chunks;
  std::vector<Gathering> gatherings;
};

/// Alignment of a run in its slot.
constexpr std::uint64_t runAlignment = 64;
/// Maximum padding between two tensors that is sent over the link with the data; a second copy would cost more.
constexpr std::uint64_t mostPadding = 512;
/// Maximum gap between two tensors in a slot.
constexpr std::uint64_t mostGapBytes = mostPadding + runAlignment;

/// A longer run crosses the link by itself, since the kernel would only read and write it once more.
constexpr std::uint64_t mostGatheredBytes = packedTensorBytes;
/// Fewer runs are copied one by one, which costs no more than a kernel.
constexpr std::uint32_t leastGatheredRuns = 4;
/// Maximum bytes that one block of the kernel copies.
constexpr std::uint64_t pieceBytes = 16u << 10;
constexpr std::uint64_t piecesOf(std::uint64_t bytes) { return (bytes + pieceBytes - 1) / pieceBytes; }

/// Cuts transfers, in order, into chunks of at most `chunkBytes` and units of about `unitBytes`. Transfers of one
/// storage with little or no padding between them share a run, which then overwrites the padding with old bytes. Reuses
/// the plan's memory.
void planTransfers(const std::vector<Transfer>& transfers, std::uint64_t chunkBytes, std::uint64_t unitBytes,
                   TransferPlan& plan);

/// Finds the runs worth gathering in each chunk. Returns the maximum number of pieces in a chunk.
std::uint32_t planGatherings(TransferPlan& plan);

}  // namespace copyscope::copy
