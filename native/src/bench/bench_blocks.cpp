// Copies of many scattered blocks between the host and the device, by each strategy.
#include <algorithm>
#include <numeric>

#include "bench/bench_session.h"
#include "cuda/cuda_copy_device.h"

namespace copyscope::bench {
namespace {

/// Returns the distance of two blocks in slots: about the golden section, and with no common divisor.
std::uint64_t scatterStep(std::uint64_t slots) {
  std::uint64_t step = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(static_cast<double>(slots) * 0.618034));
  while (std::gcd(step, slots) > 1) ++step;
  return step;
}

}  // namespace

/// A sample lasts from the first call to the end of a synchronise. Source and target have twice as many slots as there
/// are blocks, which lie in another order in each.
Result BenchSession::blocks(const Request& request) {
  const auto count = static_cast<std::uint64_t>(request.count);
  const std::uint64_t slots = 2 * count;
  const std::uint64_t all = slots * request.bytes;
  Request whole = request;
  whole.capacity = std::max(request.capacity, all);
  const Ends both = ends(whole);

  copy::BlockRequest wanted;
  wanted.direction = static_cast<copy::Direction>(request.direction);
  wanted.strategy = request.strategy;
  wanted.pinned = request.memory == HostMemory::pinned;
  const std::uint64_t step = scatterStep(slots);
  for (std::uint64_t block = 0; block < count; ++block) {
    wanted.blocks.push_back({static_cast<const std::byte*>(both.source) + (block * step % slots) * request.bytes,
                             static_cast<std::byte*>(both.target) + ((block + 1) * step % slots) * request.bytes,
                             request.bytes});
  }
  const std::vector<copy::Piece> blocks = wanted.blocks;
  if (engine_ == nullptr) engine_ = std::make_unique<copy::CopyEngine>(copy::makeCudaCopyDevice(device_));
  engine_->trim();
  copy::CudaCopyStream stream(stream_.get());
  copy::BlockCopy copies(*engine_, std::move(wanted));
  const auto copyAll = [&] {
    check(cudaEventRecord(start_.get(), stream_.get()), "cudaEventRecord");
    copies.submit(&stream);
    check(cudaEventRecord(end_.get(), stream_.get()), "cudaEventRecord");
  };

  Result result;
  result.bytes = count * request.bytes;
  seed(both, all);
  for (std::int32_t warmup = 0; warmup < request.warmups; ++warmup) {
    copyAll();
    synchronize();
  }
  for (std::int32_t sample = 0; sample < request.samples; ++sample) {
    if (sample + 1 == request.samples) poison(both, all);
    hostSample(result, copyAll);
    result.deviceNs.push_back(betweenEvents(start_, end_));
  }
  verifyBlocks(both, blocks, result);
  return result;
}

/// Compares every byte of each block of the target with its block of the source.
void BenchSession::verifyBlocks(const Ends& ends, const std::vector<copy::Piece>& blocks, Result& result) {
  const std::byte* const data = onDevice(ends, 2 * blocks.size() * blocks[0].bytes);
  for (const copy::Piece& block : blocks) {
    Content content = pattern();
    content.offset = static_cast<std::uint64_t>(block.source - static_cast<const std::byte*>(ends.source));
    compare(data + (block.target - static_cast<std::byte*>(ends.target)), block.bytes, content, result);
  }
}

}  // namespace copyscope::bench
