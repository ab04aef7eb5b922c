// Numbers chosen from payload and cores. They come from a sweep on an H200 with 16 cores (docs/development/native.md).
#include <algorithm>

#include "copy_engine.h"

namespace copyscope::copy {
namespace {

constexpr std::uint64_t KiB = 1024;
constexpr std::uint64_t slotBytesByDefault = 4096 * KiB;
/// Memory copies of more threads than this no longer gain on the link: on 32 cores twelve were slower, as on 16.
constexpr unsigned usefulThreads = 8;
/// Less than this isn't worth another thread.
constexpr std::uint64_t bytesPerThread = 256 * KiB;
constexpr std::uint64_t leastChunkBytes = 256 * KiB;
constexpr std::uint64_t leastUnitBytes = 64 * KiB;
constexpr unsigned pinningThreads = 4;
constexpr std::uint64_t mostSlots = 1024;
/// A payload is cut into this many chunks at least, so that packing and link overlap; more cost more calls.
constexpr std::uint64_t leastChunks = 4;
/// What a thread has written lately stays in its cache up to about this. The link reads it from there at half the speed,
/// which several threads that store past the caches make up for: they are slower themselves.
constexpr std::uint64_t cachedBytes = 1024 * KiB;
constexpr unsigned leastStreamingThreads = 4;
/// D2H payloads larger than this are stored past the caches, which hold no more of them anyway: no store then waits for the
/// line that it overwrites. Six threads reached 51 GB/s so, and 40 GB/s through the caches.
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
  // With many chunks each thread takes one whole; with few, all threads fill the same one, so that it leaves early.
  const bool many = payload / tuning.chunkBytes >= std::uint64_t{2} * tuning.threads;
  tuning.unitBytes = many ? tuning.chunkBytes : std::max(leastUnitBytes, tuning.chunkBytes / tuning.threads);
  const bool staysCached = tuning.threads >= leastStreamingThreads && payload / tuning.threads <= cachedBytes;
  tuning.streamingSlots = options.streamingStores.value_or(staysCached);
  tuning.streamingTargets = streamsTargets(options, payload);
  return tuning;
}

}  // namespace copyscope::copy
