// Bandwidth of copies.
#include <algorithm>

#include "bench/bench_session.h"
#include "executor/clock.h"

namespace copyscope::bench {
/// Returns source and target. Device blocks: 0 is source or target, 1 helps to verify, 2 is the target within a device.
BenchSession::Ends BenchSession::ends(const Request& request) {
  const std::uint64_t bytes = std::max(request.bytes, request.capacity);
  std::byte* const here = memory_.device(device_, bytes, 0);
  if (request.direction == Direction::d2d) return {memory_.device(device_, bytes, 2), here, cudaMemcpyDeviceToDevice};
  std::byte* const host = memory_.host(request.memory, bytes);
  // Allocated now, not between two samples.
  static_cast<void>(memory_.device(device_, bytes, 1));
  if (request.direction == Direction::h2d) return {here, host, cudaMemcpyHostToDevice};
  return {host, here, cudaMemcpyDeviceToHost};
}

Result BenchSession::copies(const Request& request) {
  Result result;
  result.bytes = request.bytes * static_cast<std::uint64_t>(request.count);
  const Ends both = ends(request);
  seed(both, request.bytes);
  const auto enqueueAll = [&] {
    for (std::int32_t copy = 0; copy < request.count; ++copy) {
      check(cudaMemcpyAsync(both.target, both.source, request.bytes, both.kind, stream_.get()), "cudaMemcpyAsync");
    }
  };
  for (std::int32_t warmup = 0; warmup < request.warmups; ++warmup) {
    enqueueAll();
    synchronize();
  }
  const bool gated = request.direction == Direction::d2d || request.memory == HostMemory::pinned;
  for (std::int32_t sample = 0; sample < request.samples; ++sample) {
    if (sample + 1 == request.samples) poison(both, request.bytes);
    if (gated) {
      gatedSample(request, result, enqueueAll);
    } else {
      hostSample(result, enqueueAll);
      result.callNs.back() /= request.count;
    }
  }
  synchronize();
  verify(both, request.bytes, result);
  return result;
}

}  // namespace copyscope::bench
