// Staging from pageable memory on a host with two H200 and 32 cores: 34 GB/s with 4 threads, 62 with 8, 94 with 12, 105
// with 16, 136 with 24. Half a payload through a second link from page-locked memory: 94 GB/s in chunks of 1 MiB, 105 of
// 4 MiB, with 2 slots as with 4. Through slots, with one thread that makes all calls, on another such host: H2D 83 GB/s with
// 24 threads and chunks of 2 MiB, 63 with 4 MiB, 58 with 16 threads; D2H 99 GB/s with 12 threads and 4 MiB, 74 with 20 or 24
// (docs/copy-engine.md).
#include "relay_tuning.h"

#include <algorithm>

#include "copy_path.h"

namespace copyscope::copy {
namespace {

constexpr std::uint64_t MiB = 1u << 20;
constexpr std::uint64_t slotBytesByDefault = 4 * MiB;
constexpr std::uint64_t leastChunkBytes = MiB;
constexpr std::uint64_t leastUnitBytes = 64u << 10;
constexpr std::uint64_t chunkMultiple = 64u << 10;
/// A payload is cut into this many chunks for each link at least.
constexpr std::uint64_t chunksPerLink = 8;
/// Many threads fill slots in small chunks; few empty them in large ones, past the caches.
constexpr std::uint64_t mostChunkBytesUp = 2 * MiB;
constexpr unsigned threadsPerLinkUp = 12;
constexpr unsigned threadsPerLinkDown = 6;
/// As many as the memory of a host gains from.
constexpr unsigned usefulThreads = 32;
constexpr std::uint32_t leastRelaySlots = 2;

unsigned threadsFor(Direction direction, unsigned cores, std::size_t links) {
  const unsigned spare = cores < coresToSpin ? cores : cores - cores / 4;
  const unsigned each = direction == Direction::h2d ? threadsPerLinkUp : threadsPerLinkDown;
  return std::min(static_cast<unsigned>(std::min<std::size_t>(each * links, usefulThreads)) + 1, spare);
}

}  // namespace

RelayTuning chooseRelayTuning(const CopyOptions& options, Direction direction, std::uint64_t payload, unsigned cores,
                              std::size_t relays) {
  const std::size_t links = relays + 1;
  RelayTuning chosen;
  Tuning& tuning = chosen.tuning;
  // One of them makes the calls to the devices, and the others copy.
  tuning.threads = std::max(2u, options.threads > 0 ? options.threads : threadsFor(direction, cores, links));
  const std::uint64_t relayBytes = options.relayBytes > 0 ? options.relayBytes : relayBytesByDefault;
  const std::uint64_t share = std::max<std::uint64_t>(relayBytes / std::max<std::size_t>(1, relays), 2 * chunkMultiple);
  tuning.slotBytes = options.slotBytes > 0 ? options.slotBytes : slotBytesByDefault;
  const std::uint64_t part = roundUp(std::max<std::uint64_t>(1, payload / (chunksPerLink * links)), chunkMultiple);
  const std::uint64_t most = direction == Direction::h2d ? mostChunkBytesUp : tuning.slotBytes;
  const std::uint64_t chunk =
      options.chunkBytes > 0 ? options.chunkBytes : std::min(std::max(part, leastChunkBytes), most);
  tuning.chunkBytes = std::min({chunk, tuning.slotBytes, share / leastRelaySlots});
  const auto slots = static_cast<std::uint32_t>(tuning.threads + links * mostPathLoads);
  const auto room = static_cast<std::uint32_t>(std::max<std::uint64_t>(links + 1, relayRingBytes / tuning.slotBytes));
  tuning.slots = options.slotsPerThread > 0 ? options.slotsPerThread * tuning.threads : std::min(slots, room);
  chosen.relaySlots = static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(share / blockBytes(tuning.chunkBytes), 1, mostPathLoads));
  const bool many = payload / tuning.chunkBytes >= std::uint64_t{2} * tuning.threads;
  tuning.unitBytes = many ? tuning.chunkBytes : std::max(leastUnitBytes, tuning.chunkBytes / tuning.threads);
  tuning.streamingSlots = options.streamingStores.value_or(false);
  tuning.streamingTargets = streamsTargets(options, payload);
  return chosen;
}

}  // namespace copyscope::copy
