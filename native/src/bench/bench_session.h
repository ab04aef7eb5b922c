// Runs benchmarks one after another on the calling thread, and keeps streams, events and memory between them.
//
// The protocol is nvbandwidth's: warm up; then, for each sample, hold the stream at a gate, enqueue a start event, the
// copies and an end event, open the gate, and take the time between the events. Before the last sample the target is
// overwritten, and after it every byte of it is compared. Copies of pageable memory block the host until they are
// done, so that they would wait forever behind a closed gate. They are timed by the host's clock, from the first call
// to the end of a stream synchronise.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "bench/bench_kernels.h"
#include "bench/bench_memory.h"
#include "bench/bench_request.h"
#include "copy/block_copy.h"
#include "cuda/cuda_calls.h"
#include "executor/pattern.h"
#include "executor/stop.h"

namespace copyscope::bench {

/// Holds streams while a benchmark fills them, so that the device's work is timed and not the host's enqueuing.
class DeviceGate {
 public:
  explicit DeviceGate(Stop& stop);

  /// Closes the gate before hold(). No stream may wait at it.
  void close();
  /// Makes later work in the stream wait until open().
  void hold(cudaStream_t stream);
  /// Releases the streams. From any thread, at any time.
  void open() noexcept;
  /// Called after the work has completed: throws a Failure `bench.gate` if the gate opened by itself.
  void requireHeld() const;

 private:
  volatile GateWords* words() const { return static_cast<volatile GateWords*>(memory_.get()); }

  Stop& stop_;
  const PinnedMemory memory_;
  void* const onDevice_;
};

class BenchSession {
 public:
  /// Measures one device. `stop` must outlive the session.
  BenchSession(Stop& stop, int device);
  ~BenchSession();
  BenchSession(const BenchSession&) = delete;
  BenchSession& operator=(const BenchSession&) = delete;

  /// Throws a Failure; `run.cancelled` if a stop was requested.
  Result run(const Request& request);
  /// Called after a stop was requested: releases work that waits on the device. From any thread.
  void interrupt() noexcept { gate_.open(); }
  int device() const { return device_; }

 private:
  struct Ends {
    void* target = nullptr;
    const void* source = nullptr;
    cudaMemcpyKind kind = cudaMemcpyDefault;
  };

  Result copies(const Request& request);
  Result launches(const Request& request);
  Result queueDepth(const Request& request);
  Result submit(const Request& request);
  Result blocks(const Request& request);

  Ends ends(const Request& request);
  void gatedSample(const Request& request, Result& result, const std::function<void()>& enqueueAll);
  void hostSample(Result& result, const std::function<void()>& enqueueAll);
  void seed(const Ends& ends, std::uint64_t bytes);
  void poison(const Ends& ends, std::uint64_t bytes);
  void verify(const Ends& ends, std::uint64_t bytes, Result& result);
  void verifyBlocks(const Ends& ends, const std::vector<copy::Piece>& blocks, Result& result);
  /// Returns the target, or a copy of it in device memory if it is host memory.
  const std::byte* onDevice(const Ends& ends, std::uint64_t bytes);
  void compare(const void* data, std::uint64_t bytes, const Content& content, Result& result);
  void synchronize() { check(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize"); }
  void stopIfAsked() const;

  Stop& stop_;
  const int device_;
  /// Maximum blocks of a filling or comparing kernel.
  int blocks_ = 1;
  DeviceGate gate_;
  OwnedStream stream_;
  OwnedEvent start_;
  OwnedEvent end_;
  DeviceMemory comparison_;
  BenchMemory memory_;
  std::unique_ptr<copy::CopyEngine> engine_;
};

/// Returns the content of sources, with which targets are compared.
Content pattern();

/// Returns nanoseconds between two completed events.
double betweenEvents(const OwnedEvent& start, const OwnedEvent& end);

}  // namespace copyscope::bench
