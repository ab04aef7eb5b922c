// Copies of many scattered blocks between the host and the device, by each strategy.
#include <algorithm>
#include <numeric>

#include "bench/bench_session.h"
#include "cuda/cuda_batches.h"
#include "cuda/cuda_copy_device.h"
#include "executor/clock.h"

namespace copyscope::bench {
namespace {

/// Share of the multiprocessors that a copying kernel fills.
constexpr double kernelShare = 0.25;

/// Returns the distance of two blocks in slots: about the golden section, and with no common divisor.
std::uint64_t scatterStep(std::uint64_t slots) {
  std::uint64_t step = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(static_cast<double>(slots) * 0.618034));
  while (std::gcd(step, slots) > 1) ++step;
  return step;
}

std::byte* relative(std::uint64_t offset) { return reinterpret_cast<std::byte*>(offset); }

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
  const auto* const source = static_cast<const std::byte*>(both.source);
  auto* const target = static_cast<std::byte*>(both.target);

  const PinnedMemory table = allocatePinned(count * sizeof(copy::Piece));
  const PinnedMemory gatherTable = allocatePinned(count * sizeof(copy::Piece));
  const PinnedMemory scatterTable = allocatePinned(count * sizeof(copy::Piece));
  auto* const pieces = static_cast<copy::Piece*>(table.get());
  auto* const gather = static_cast<copy::Piece*>(gatherTable.get());
  auto* const scatter = static_cast<copy::Piece*>(scatterTable.get());
  const std::uint64_t step = scatterStep(slots);
  for (std::uint64_t block = 0; block < count; ++block) {
    const std::uint64_t from = (block * step % slots) * request.bytes;
    const std::uint64_t to = ((block + 1) * step % slots) * request.bytes;
    const std::uint64_t packed = block * request.bytes;
    pieces[block] = {relative(from), relative(to), request.bytes};
    gather[block] = {relative(from), relative(packed), request.bytes};
    scatter[block] = {relative(packed), relative(to), request.bytes};
  }
  const bool isPacked = request.strategy == BlockStrategy::packed;
  const std::uint64_t staged = isPacked ? count * request.bytes : 1;
  const PinnedMemory pinnedStage = allocatePinned(staged);
  const DeviceMemory deviceStage = allocateDevice(staged);
  auto* const onHost = static_cast<std::byte*>(pinnedStage.get());
  auto* const onDevice = static_cast<std::byte*>(deviceStage.get());
  const std::size_t most = copy::blocksIn(kernelShare, multiprocessors_);
  const auto launch = [&](const copy::Piece* list, const std::byte* from, std::byte* to) {
    check(copy::launchPieces(stream_.get(), list, count, from, to, most), "cudaLaunchKernel");
  };
  const auto copyStaged = [&](void* to, const void* from) {
    check(cudaMemcpyAsync(to, from, staged, both.kind, stream_.get()), "cudaMemcpyAsync");
  };
  const auto mark = [&](const OwnedEvent& event) { check(cudaEventRecord(event.get(), stream_.get()), "cudaEventRecord"); };
  const auto copyAll = [&] {
    if (isPacked && both.kind == cudaMemcpyHostToDevice) copy::copyEach(gather, count, source, onHost);
    mark(start_);
    if (request.strategy == BlockStrategy::batch) {
      copyBatch(stream_.get(), pieces, count, source, target);
    } else if (request.strategy == BlockStrategy::kernel) {
      launch(pieces, source, target);
    } else if (!isPacked) {
      for (std::uint64_t block = 0; block < count; ++block) {
        check(cudaMemcpyAsync(copy::moved(target, pieces[block].target), copy::moved(source, pieces[block].source),
                              request.bytes, both.kind, stream_.get()),
              "cudaMemcpyAsync");
      }
    } else if (both.kind == cudaMemcpyHostToDevice) {
      copyStaged(onDevice, onHost);
      launch(scatter, onDevice, target);
    } else {
      launch(gather, source, onDevice);
      copyStaged(onHost, onDevice);
    }
    mark(end_);
    if (!isPacked || both.kind == cudaMemcpyHostToDevice) return;
    synchronize();
    copy::copyEach(scatter, count, onHost, target);
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
  verifyBlocks(both, pieces, count, result);
  return result;
}

/// Compares every byte of each block of the target with its block of the source.
void BenchSession::verifyBlocks(const Ends& ends, const copy::Piece* pieces, std::uint64_t count, Result& result) {
  const std::uint64_t all = 2 * count * pieces[0].bytes;
  const std::byte* const data = onDevice(ends, all);
  for (std::uint64_t block = 0; block < count; ++block) {
    const copy::Piece& piece = pieces[block];
    Content content = pattern();
    content.offset = reinterpret_cast<std::uintptr_t>(piece.source);
    compare(data + reinterpret_cast<std::uintptr_t>(piece.target), piece.bytes, content, result);
  }
}

}  // namespace copyscope::bench
