// Numbers chosen from payload and cores. They come from a sweep on an H200 with 16 cores (docs/development/native.md).
#include <algorithm>

#include "copy/copy_engine.h"

namespace copyscope::copy {
namespace {

constexpr std::uint64_t KiB = 1024;
constexpr std::uint64_t slotBytesByDefault = 4096 * KiB;
/// More threads no longer gain on the link: on 32 cores twelve were slower, as on 16.
constexpr unsigned usefulThreads = 8;
/// Less than this isn't worth another thread.
constexpr std::uint64_t bytesPerThread = 256 * KiB;
constexpr std::uint64_t leastChunkBytes = 256 * KiB;
constexpr std::uint64_t leastUnitBytes = 64 * KiB;
constexpr unsigned pinningThreads = 4;
constexpr std::uint64_t mostSlots = 1024;
/// Minimum number of chunks of a payload, so that packing and link overlap; more chunks cost more calls.
constexpr std::uint64_t leastChunks = 4;
/// Recently written data stays in a thread's cache up to about this size. The link reads it from there at half the
/// speed. Several threads that bypass the caches gain more than they lose by their slower stores.
constexpr std::uint64_t cachedBytes = 1024 * KiB;
constexpr unsigned leastStreamingThreads = 4;
/// Larger D2H payloads bypass the caches, which can't hold them anyway, so that no store waits for the line that it
/// overwrites. Six threads reached 51 GB/s this way, and 40 GB/s through the caches.
constexpr std::uint64_t leastStreamedTargets = 64 * 1024 * KiB;

unsigned threadsFor(std::uint64_t payload, unsigned cores) {
  return static_cast<unsigned>(std::clamp<std::uint64_t>(payload / bytesPerThread, 1, threadsAtMost(cores)));
}

}  // namespace

unsigned threadsAtMost(unsigned cores) {
  return std::min(usefulThreads, cores < 4 ? std::max(1u, cores) : cores / 2);
}

bool streamsTargets(const CopyOptions& options, std::uint64_t payload) {
  return options.streamingStores.value_or(payload >= leastStreamedTargets);
}

Tuning chooseTuning(const CopyOptions& options, std::uint64_t payload, unsigned cores) {
  Tuning tuning;
  const bool pins = options.strategy == Strategy::threadedPinning;
  tuning.threads = options.threads > 0 ? options.threads : pins ? pinningThreads : threadsFor(payload, cores);
  tuning.slotBytes = options.slotBytes > 0 ? options.slotBytes : slotBytesByDefault;
  const std::uint64_t slots = std::max<std::uint64_t>(2, ringBytes / tuning.slotBytes);
  tuning.slots = options.slotsPerThread > 0 ? options.slotsPerThread * tuning.threads
                                            : static_cast<std::uint32_t>(std::min<std::uint64_t>(slots, mostSlots));
  const std::uint64_t share = roundUp(std::max<std::uint64_t>(1, payload / leastChunks), leastUnitBytes);
  const std::uint64_t chunk = options.chunkBytes > 0 ? options.chunkBytes : std::max(share, leastChunkBytes);
  tuning.chunkBytes = std::min(chunk, tuning.slotBytes);
  // With many chunks each thread takes a whole one; with few, all threads fill the same one, so that it leaves early.
  const bool many = payload / tuning.chunkBytes >= std::uint64_t{2} * tuning.threads;
  tuning.unitBytes = many ? tuning.chunkBytes : std::max(leastUnitBytes, tuning.chunkBytes / tuning.threads);
  const bool staysCached = tuning.threads >= leastStreamingThreads && payload / tuning.threads <= cachedBytes;
  tuning.streamingSlots = options.streamingStores.value_or(staysCached);
  tuning.streamingTargets = streamsTargets(options, payload);
  return tuning;
}

}  // namespace copyscope::copy
