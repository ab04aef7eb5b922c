// Cost of launches, and the depth of the launch queue.
#include <atomic>
#include <thread>

#include "bench/bench_session.h"
#include "executor/clock.h"

namespace copyscope::bench {
namespace {

/// A queue that takes this number of operations counts as unlimited.
constexpr std::int64_t mostQueued = 50'000;
/// Time that a call must block before the queue counts as full.
constexpr auto heldFor = std::chrono::milliseconds(40);

}  // namespace

/// Measures empty kernels behind the gate: `callNs` is the host's time for a launch, `ns` the device's time for all.
Result BenchSession::launches(const Request& request) {
  Result result;
  const auto enqueueAll = [&] {
    for (std::int32_t launch = 0; launch < request.count; ++launch) {
      check(launchEmpty(stream_.get()), "cudaLaunchKernel");
    }
  };
  for (std::int32_t warmup = 0; warmup < request.warmups; ++warmup) {
    enqueueAll();
    synchronize();
  }
  for (std::int32_t sample = 0; sample < request.samples; ++sample) gatedSample(request, result, enqueueAll);
  return result;
}

/// Fills the stream behind the closed gate until a call blocks; another thread notices that, and opens the gate.
Result BenchSession::queueDepth(const Request& request) {
  Result result;
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
        check(launchEmpty(stream_.get()), "cudaLaunchKernel");
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
