// Cost of submitting: the executor's host thread without recording, compared in turns with a hand-written loop.
#include "bench/bench_session.h"
#include "cuda/cuda_copy_device.h"
#include "cuda/cuda_engine.h"
#include "executor/clock.h"
#include "executor/executor.h"

namespace copyscope::bench {
namespace {

/// Returns a program of one thread with `count` asynchronous copies of page-locked memory in a non-blocking stream.
Program submitProgram(const Request& request) {
  Program program;
  Buffer source;
  source.id = "source";
  source.memory = Memory::pinned;
  source.bytes = request.bytes;
  source.pattern = pattern();
  Buffer target = source;
  target.id = "target";
  target.memory = Memory::device;
  target.pattern = Content{};
  program.buffers = {source, target};
  Stream stream;
  stream.id = "stream";
  program.streams = {stream};
  program.threads.emplace_back();
  for (std::int32_t copy = 0; copy < request.count; ++copy) {
    Instruction instruction;
    instruction.code = Code::copy;
    instruction.op = copy;
    instruction.stream = 0;
    instruction.src = 0;
    instruction.dst = 1;
    instruction.bytes = request.bytes;
    program.threads[0].push_back(instruction);
  }
  return program;
}

/// Submits the program on the calling thread, as a host thread of a run does after the gate has opened.
class Submitter {
 public:
  Submitter(const Program& program, Stop& stop)
      : program_(program),
        backend_(makeCudaBackend(stop, Timing::events)),
        signals_(program, stop),
        copies_(program, prepared(), stop),
        thread_({program, *backend_, signals_, copies_, stop}, 0, 0, 1) {
    backend_->attach(0);
  }

  void submit() { thread_.run(-1); }

  // Memory and stream of the copies: the hand-written loop makes the very same calls.
  std::byte* source() { return backend_->host(0); }
  std::byte* target() { return backend_->host(1); }
  cudaStream_t stream() { return static_cast<const copy::CudaCopyStream*>(backend_->copyStream(0))->handle(); }

 private:
  Backend& prepared() {
    backend_->prepare(program_);
    backend_->fillDevice(1);
    return *backend_;
  }

  const Program& program_;
  std::unique_ptr<Backend> backend_;
  Signals signals_;
  MultiCopies copies_;
  HostThread thread_;
};

}  // namespace

/// Measures the executor as `ns`, the hand-written loop as `callNs`: the time of all calls, between the same memory and
/// in the same stream, since the cost of a call depends on both. Each begins with an idle device.
Result BenchSession::submit(const Request& request) {
  Result result;
  result.onHostClock = true;
  result.bytes = request.bytes * static_cast<std::uint64_t>(request.count);
  const Program program = submitProgram(request);
  Submitter submitter(program, stop_);
  const Ends both{submitter.target(), submitter.source(), cudaMemcpyHostToDevice};
  seed(both, request.bytes);
  const auto loop = [&, stream = submitter.stream()] {
    for (std::int32_t copy = 0; copy < request.count; ++copy) {
      check(cudaMemcpyAsync(both.target, both.source, request.bytes, cudaMemcpyHostToDevice, stream),
            "cudaMemcpyAsync");
    }
  };
  const auto timed = [&](const auto& submitAll) {
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    const std::int64_t before = nowNs();
    submitAll();
    const std::int64_t called = nowNs();
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    return static_cast<double>(called - before);
  };
  for (std::int32_t sample = -request.warmups; sample < request.samples; ++sample) {
    stopIfAsked();
    // The order alternates, so that neither always follows the other.
    const bool loopFirst = sample % 2 != 0;
    const double first = loopFirst ? timed(loop) : 0;
    const double executor = timed([&] { submitter.submit(); });
    const double hand = loopFirst ? first : timed(loop);
    if (sample < 0) continue;
    result.ns.push_back(executor);
    result.callNs.push_back(hand);
  }
  const auto verified = [&](const auto& submitAll) {
    poison(both, request.bytes);
    submitAll();
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    verify(both, request.bytes, result);
  };
  verified(loop);
  verified([&] { submitter.submit(); });
  return result;
}

}  // namespace copyscope::bench
