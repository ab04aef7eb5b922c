// Bandwidth and latency of copies: one direction, both at once, between devices.
#include <algorithm>

#include "bench/bench_session.h"
#include "clock.h"

namespace copyscope::bench {
namespace {

/// Peer access from the current device, taken back on destruction where it was given here.
class PeerAccess {
 public:
  PeerAccess(int peer, bool wanted) : peer_(peer) {
    if (!wanted) return;
    const cudaError_t error = cudaDeviceEnablePeerAccess(peer, 0);
    if (error != cudaErrorPeerAccessAlreadyEnabled) check(error, "cudaDeviceEnablePeerAccess");
    static_cast<void>(cudaGetLastError());
    given_ = error == cudaSuccess;
  }
  ~PeerAccess() {
    if (given_) static_cast<void>(cudaDeviceDisablePeerAccess(peer_));
  }
  PeerAccess(const PeerAccess&) = delete;
  PeerAccess& operator=(const PeerAccess&) = delete;

 private:
  int peer_;
  bool given_ = false;
};

void requirePeerAccess(int device, int peer) {
  int possible = 0;
  check(cudaDeviceCanAccessPeer(&possible, device, peer), "cudaDeviceCanAccessPeer");
  if (possible != 0) return;
  throw Failure("bench.no-peer-access", "Device " + std::to_string(device) + " can't access the memory of device " +
                                            std::to_string(peer) + ".");
}

}  // namespace

/// Source and target of a direction. Device blocks: 0 is the first direction's, 1 helps to verify, 2 the other's.
BenchSession::Ends BenchSession::ends(const Request& request, Direction direction, std::size_t which) {
  const std::uint64_t bytes = std::max(request.bytes, request.capacity);
  std::byte* const here = memory_.device(device_, bytes, which == 0 ? 0 : 2);
  if (direction == Direction::d2d) return {memory_.device(device_, bytes, 2), here, cudaMemcpyDeviceToDevice};
  std::byte* const host = memory_.host(request.memory, bytes, which);
  // Allocated now, and not between two samples.
  static_cast<void>(memory_.device(device_, bytes, 1));
  if (direction == Direction::h2d) return {here, host, cudaMemcpyHostToDevice};
  return {host, here, cudaMemcpyDeviceToHost};
}

void BenchSession::enqueue(cudaStream_t stream, const Ends& ends, const Request& request) {
  if (request.memory == HostMemory::mapped) {
    check(launchCopy(stream, ends.target, ends.source, request.bytes, blocks_), "cudaLaunchKernel");
  } else {
    check(cudaMemcpyAsync(ends.target, ends.source, request.bytes, ends.kind, stream), "cudaMemcpyAsync");
  }
}

Result BenchSession::copies(const Request& request) {
  Result result;
  result.bytes = request.bytes * static_cast<std::uint64_t>(request.count);
  const Ends both = ends(request, request.direction, 0);
  seed(both, request.bytes);
  const auto enqueueAll = [&] {
    for (std::int32_t copy = 0; copy < request.count; ++copy) enqueue(stream_.get(), both, request);
  };
  for (std::int32_t warmup = 0; warmup < request.warmups; ++warmup) {
    enqueueAll();
    synchronize();
  }
  const bool gated = request.direction == Direction::d2d || request.memory != HostMemory::pageable;
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

/// From the call to the end of a stream synchronise, for one copy in an idle stream.
Result BenchSession::latency(const Request& request) {
  Result result;
  result.bytes = request.bytes;
  const Ends both = ends(request, request.direction, 0);
  seed(both, request.bytes);
  for (std::int32_t sample = -request.warmups; sample < request.samples; ++sample) {
    if (sample == 0) {
      result.ns.clear();
      result.callNs.clear();
    }
    if (sample + 1 == request.samples) poison(both, request.bytes);
    hostSample(result, [&] { enqueue(stream_.get(), both, request); });
  }
  verify(both, request.bytes, result);
  return result;
}

/// Both directions at once, each in a stream of its own. `ns` spans from the first start to the last end.
Result BenchSession::bidirectional(const Request& request) {
  Result result;
  result.bytes = 2 * request.bytes * static_cast<std::uint64_t>(request.count);
  const Ends there = ends(request, Direction::h2d, 0);
  const Ends back = ends(request, Direction::d2h, 1);
  seed(there, request.bytes);
  seed(back, request.bytes);
  const cudaStream_t out = stream_.get();
  const cudaStream_t in = otherStream_.get();
  for (std::int32_t sample = -request.warmups; sample < request.samples; ++sample) {
    stopIfAsked();
    if (sample + 1 == request.samples) {
      poison(there, request.bytes);
      poison(back, request.bytes);
    }
    gate_.close();
    gate_.hold(out);
    gate_.hold(in);
    check(cudaEventRecord(start_.get(), out), "cudaEventRecord");
    check(cudaEventRecord(otherStart_.get(), in), "cudaEventRecord");
    for (std::int32_t copy = 0; copy < request.count; ++copy) {
      enqueue(out, there, request);
      enqueue(in, back, request);
    }
    check(cudaEventRecord(end_.get(), out), "cudaEventRecord");
    check(cudaEventRecord(otherEnd_.get(), in), "cudaEventRecord");
    gate_.open();
    check(cudaStreamSynchronize(out), "cudaStreamSynchronize");
    check(cudaStreamSynchronize(in), "cudaStreamSynchronize");
    stopIfAsked();
    gate_.requireHeld();
    if (sample < 0) continue;
    const double startsApart = betweenEvents(start_, otherStart_);
    const double lastEnd = std::max(betweenEvents(start_, end_), betweenEvents(start_, otherEnd_));
    result.ns.push_back(lastEnd - std::min(0.0, startsApart));
    result.callNs.push_back(betweenEvents(start_, end_));
    result.otherNs.push_back(betweenEvents(otherStart_, otherEnd_));
  }
  verify(there, request.bytes, result);
  verify(back, request.bytes, result);
  return result;
}

/// From this session's device to another. Without peer access the driver stages through the host, and may hold it, so
/// those are timed by the host's clock.
Result BenchSession::peerCopies(const Request& request) {
  if (request.peerAccess) requirePeerAccess(device_, request.peer);
  Result result;
  result.bytes = request.bytes * static_cast<std::uint64_t>(request.count);
  const PeerAccess access(request.peer, request.peerAccess);
  const std::uint64_t capacity = std::max(request.bytes, request.capacity);
  std::byte* const target = memory_.device(request.peer, capacity, 3);
  std::byte* const source = memory_.device(device_, capacity, 0);
  std::byte* const brought = memory_.device(device_, capacity, 1);
  seed({nullptr, source, cudaMemcpyDeviceToDevice}, request.bytes);
  const auto enqueueAll = [&] {
    for (std::int32_t copy = 0; copy < request.count; ++copy) {
      check(cudaMemcpyPeerAsync(target, request.peer, source, device_, request.bytes, stream_.get()),
            "cudaMemcpyPeerAsync");
    }
  };
  const auto overwrite = [&](void* memory, int value) {
    check(cudaMemsetAsync(memory, value, request.bytes, stream_.get()), "cudaMemsetAsync");
    synchronize();
  };
  for (std::int32_t warmup = 0; warmup < std::max(1, request.warmups); ++warmup) {
    enqueueAll();
    synchronize();
  }
  for (std::int32_t sample = 0; sample < request.samples; ++sample) {
    if (sample + 1 == request.samples) {
      overwrite(brought, 0x5a);
      check(cudaMemcpyPeer(target, request.peer, brought, device_, request.bytes), "cudaMemcpyPeer");
      check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    }
    if (request.peerAccess) {
      gatedSample(request, result, enqueueAll);
    } else {
      hostSample(result, enqueueAll);
    }
  }
  synchronize();
  overwrite(brought, 0xa5);
  check(cudaMemcpyPeer(brought, device_, target, request.peer, request.bytes), "cudaMemcpyPeer");
  verify({brought, source, cudaMemcpyDeviceToDevice}, request.bytes, result);
  return result;
}

}  // namespace copyscope::bench
