// What many small pieces of work cost: copies by several methods, launches, and the depth of the launch queue.
#include <atomic>
#include <cstring>
#include <thread>

#include "bench/bench_session.h"
#include "clock.h"

namespace copyscope::bench {
namespace {

/// Tensors don't lie side by side, or a loop would be one copy.
constexpr std::uint64_t gapBytes = 512;
/// A queue that takes so many operations has no end that matters.
constexpr std::int64_t mostQueued = 50'000;
/// How long a call must last before the queue counts as full.
constexpr auto heldFor = std::chrono::milliseconds(40);

}  // namespace

/// One function that makes all copies of a sample, by a method.
std::function<void()> BenchSession::smallMethod(const Request& request, std::byte* source, std::byte* target,
                                                OwnedGraph& graph) {
  const std::uint64_t bytes = request.bytes;
  const std::uint64_t step = bytes + gapBytes;
  const auto tensors = static_cast<std::uint64_t>(request.count);
  const cudaStream_t stream = stream_.get();
  const auto copyOne = [=](std::uint64_t tensor) {
    check(cudaMemcpyAsync(target + tensor * step, source + tensor * step, bytes, cudaMemcpyHostToDevice, stream),
          "cudaMemcpyAsync");
  };
  const auto loop = [=] {
    for (std::uint64_t tensor = 0; tensor < tensors; ++tensor) copyOne(tensor);
  };
  switch (request.method) {
    case Method::blockingLoop:
      return [=] {
        for (std::uint64_t tensor = 0; tensor < tensors; ++tensor) {
          copyOne(tensor);
          check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
        }
      };
    case Method::packed: {
      std::byte* const packed = memory_.host(HostMemory::pinned, tensors * bytes, 1);
      return [=] {
        for (std::uint64_t tensor = 0; tensor < tensors; ++tensor) {
          std::memcpy(packed + tensor * bytes, source + tensor * step, bytes);
        }
        check(cudaMemcpyAsync(target, packed, tensors * bytes, cudaMemcpyHostToDevice, stream), "cudaMemcpyAsync");
      };
    }
    case Method::graph:
      graph = capture(loop);
      return [&graph, stream] { check(cudaGraphLaunch(graph.get(), stream), "cudaGraphLaunch"); };
    default:
      return loop;
  }
}

/// From the first call to the end of a stream synchronise: what a program waits for its tensors.
Result BenchSession::smallCopies(const Request& request) {
  Result result;
  const auto tensors = static_cast<std::uint64_t>(request.count);
  const std::uint64_t step = request.bytes + gapBytes;
  result.bytes = tensors * request.bytes;
  const Ends arena{memory_.device(device_, tensors * step, 0), memory_.host(HostMemory::pinned, tensors * step),
                   cudaMemcpyHostToDevice};
  seed(arena, tensors * step);
  OwnedGraph graph;
  auto* const source = static_cast<std::byte*>(const_cast<void*>(arena.source));
  auto* const target = static_cast<std::byte*>(arena.target);
  const std::function<void()> copyAll = smallMethod(request, source, target, graph);
  for (std::int32_t sample = -request.warmups; sample < request.samples; ++sample) {
    if (sample == 0) {
      result.ns.clear();
      result.callNs.clear();
    }
    if (sample + 1 == request.samples) poison(arena, tensors * step);
    hostSample(result, copyAll);
  }
  const std::uint64_t targetStep = request.method == Method::packed ? request.bytes : step;
  for (std::uint64_t tensor = 0; tensor < tensors; ++tensor) {
    Content content = pattern();
    content.offset = tensor * step;
    compare(target + tensor * targetStep, request.bytes, content, result);
  }
  return result;
}

/// Empty kernels behind the gate: `callNs` is what a launch holds the host, `ns` what the device spends on all of
/// them, `otherNs` the time from one launch into an idle stream to the end of a synchronise.
Result BenchSession::launches(const Request& request) {
  Result result;
  const cudaStream_t stream = stream_.get();
  const auto loop = [&] {
    for (std::int32_t launch = 0; launch < request.count; ++launch) check(launchEmpty(stream), "cudaLaunchKernel");
  };
  OwnedGraph graph;
  const bool asGraph = request.method == Method::graph;
  if (asGraph) graph = capture(loop);
  const auto launchGraph = [&] { check(cudaGraphLaunch(graph.get(), stream), "cudaGraphLaunch"); };
  const std::function<void()> enqueueAll = asGraph ? std::function<void()>(launchGraph) : loop;
  const auto one = [&] { asGraph ? launchGraph() : check(launchEmpty(stream), "cudaLaunchKernel"); };
  for (std::int32_t warmup = 0; warmup < request.warmups; ++warmup) {
    enqueueAll();
    synchronize();
  }
  for (std::int32_t sample = 0; sample < request.samples; ++sample) {
    gatedSample(request, result, enqueueAll);
    const std::int64_t before = nowNs();
    one();
    synchronize();
    result.otherNs.push_back(static_cast<double>(nowNs() - before));
  }
  return result;
}

/// Fills the stream behind the closed gate until a call doesn't return; another thread sees that, and opens the gate.
Result BenchSession::queueDepth(const Request& request) {
  Result result;
  const Ends both = ends(request, Direction::h2d, 0);
  seed(both, request.bytes);
  for (std::int32_t sample = 0; sample < request.samples; ++sample) {
    stopIfAsked();
    gate_.close();
    gate_.hold(stream_.get());
    std::atomic<std::int64_t> taken{0};
    std::atomic<std::int64_t> depth{0};
    std::atomic<bool> over{false};
    std::thread watch([&] {
      for (std::int64_t last = -1; !over.load() && !stop_.requested();) {
        const std::int64_t now = taken.load();
        if (now == last && now > 0) {
          depth.store(now);
          break;
        }
        last = now;
        std::this_thread::sleep_for(heldFor);
      }
      gate_.open();
    });
    std::exception_ptr error;
    try {
      while (depth.load() == 0 && taken.load() < mostQueued && !stop_.requested()) {
        if (request.method == Method::loop) {
          check(launchEmpty(stream_.get()), "cudaLaunchKernel");
        } else {
          enqueue(stream_.get(), both, request);
        }
        taken.fetch_add(1);
      }
    } catch (...) {
      error = std::current_exception();
    }
    over.store(true);
    watch.join();
    gate_.open();
    synchronize();
    if (error != nullptr) std::rethrow_exception(error);
    gate_.requireHeld();
    result.depth = depth.load();
    result.ns.push_back(static_cast<double>(depth.load()));
  }
  return result;
}

}  // namespace copyscope::bench
