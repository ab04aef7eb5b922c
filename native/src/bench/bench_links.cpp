// What the links of two devices give at once, and each alone.
#include "bench/bench_session.h"
#include "clock.h"
#include "device_scope.h"

namespace copyscope::bench {
namespace {

OwnedStream streamOn(int device) {
  const DeviceScope scope(device);
  return createStream(true);
}

}  // namespace

/// Pinned memory to or from two devices, each with memory and a stream of its own. No clock is common to both devices, so
/// all is timed by the host's: `ns` both at once, `callNs` this session's device alone, `otherNs` the other one.
Result BenchSession::links(const Request& request) {
  const bool up = request.direction == Direction::h2d;
  const int other = request.peer;
  Result result;
  result.onHostClock = true;
  result.bytes = 2 * request.bytes * static_cast<std::uint64_t>(request.count);
  const Ends here = ends(request, request.direction, 0);
  std::byte* const host = memory_.host(request.memory, request.bytes, 1);
  std::byte* const brought = memory_.device(device_, request.bytes, 1);
  std::byte* const far = memory_.device(other, request.bytes, 3);
  DeviceScope::change(device_);
  const OwnedStream farStream = streamOn(other);
  const Ends there = up ? Ends{far, host, cudaMemcpyHostToDevice} : Ends{host, far, cudaMemcpyDeviceToHost};
  seed(here, request.bytes);
  // The other device's source, or what host memory for it holds, comes from here.
  if (up) {
    seed({brought, host, cudaMemcpyHostToDevice}, request.bytes);
  } else {
    check(cudaMemcpyPeer(far, other, here.source, device_, request.bytes), "cudaMemcpyPeer");
  }
  const auto timed = [&](bool first, bool second) {
    stopIfAsked();
    const std::int64_t start = nowNs();
    for (std::int32_t copy = 0; copy < request.count; ++copy) {
      if (first) enqueue(stream_.get(), here, request);
      if (second) enqueue(farStream.get(), there, request);
    }
    check(cudaStreamSynchronize(farStream.get()), "cudaStreamSynchronize");
    synchronize();
    return static_cast<double>(nowNs() - start);
  };
  for (std::int32_t sample = -request.warmups; sample < request.samples; ++sample) {
    if (sample + 1 == request.samples) {
      poison(here, request.bytes);
      if (up) {
        check(cudaMemset(brought, 0x5a, request.bytes), "cudaMemset");
        check(cudaMemcpyPeer(far, other, brought, device_, request.bytes), "cudaMemcpyPeer");
        check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
      } else {
        poison({host, nullptr, cudaMemcpyDeviceToHost}, request.bytes);
      }
    }
    const double both = timed(true, true);
    const double first = timed(true, false);
    const double second = timed(false, true);
    if (sample < 0) continue;
    result.ns.push_back(both);
    result.callNs.push_back(first);
    result.otherNs.push_back(second);
  }
  verify(here, request.bytes, result);
  if (up) {
    check(cudaMemcpyPeer(brought, device_, far, other, request.bytes), "cudaMemcpyPeer");
    verify({brought, nullptr, cudaMemcpyDeviceToDevice}, request.bytes, result);
  } else {
    verify(there, request.bytes, result);
  }
  return result;
}

}  // namespace copyscope::bench
