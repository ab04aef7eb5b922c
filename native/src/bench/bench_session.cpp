#include "bench/bench_session.h"

#include "cuda/cuda_kernels.h"
#include "cuda/device_scope.h"
#include "executor/clock.h"
#include "executor/own_processors.h"

namespace copyscope::bench {
namespace {

constexpr int blocksPerMultiprocessor = 4;
/// Fills a target before it is verified: no word of the pattern repeats a byte like this.
constexpr int poisonByte = 0xa5;

/// Makes the device current before anything is made on it.
int selected(int device) {
  DeviceScope::change(device);
  return device;
}

int multiprocessors(int device) {
  int count = 1;
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
  return count;
}

bool fromHost(cudaMemcpyKind kind) { return kind == cudaMemcpyHostToDevice; }
bool toHost(cudaMemcpyKind kind) { return kind == cudaMemcpyDeviceToHost; }

}  // namespace

Content pattern() {
  Content content;
  content.kind = PatternKind::random;
  content.value = 20260117;
  return content;
}

double betweenEvents(const OwnedEvent& start, const OwnedEvent& end) {
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, start.get(), end.get()), "cudaEventElapsedTime");
  return static_cast<double>(milliseconds) * 1e6;
}

DeviceGate::DeviceGate(Stop& stop)
    : stop_(stop), memory_(allocateMapped(sizeof(GateWords))), onDevice_(addressOnDevice(memory_)) {
  words()->open = 1;
  words()->timedOut = 0;
}

void DeviceGate::close() {
  words()->timedOut = 0;
  words()->open = 0;
  // A stop may have opened the gate just before.
  if (stop_.requested()) open();
}

void DeviceGate::hold(cudaStream_t stream) {
  check(launchGate(stream, static_cast<volatile GateWords*>(onDevice_)), "cudaLaunchKernel");
}

void DeviceGate::open() noexcept { words()->open = 1; }

void DeviceGate::requireHeld() const {
  if (words()->timedOut == 0) return;
  throw Failure("bench.gate", "The host was held for ten seconds while it filled the stream.",
                "Ask for fewer copies in a sample.");
}

BenchSession::BenchSession(Stop& stop, int device)
    : stop_(stop),
      device_(selected(device)),
      gate_(stop),
      stream_(createStream(true)),
      start_(createEvent(true)),
      end_(createEvent(true)),
      comparison_(allocateDevice(sizeof(DeviceComparison))) {
  blocks_ = multiprocessors(device) * blocksPerMultiprocessor;
  check(loadKernels(), "cudaFuncGetAttributes");
  check(loadBenchKernels(), "cudaFuncGetAttributes");
}

BenchSession::~BenchSession() {
  // Nothing may be freed while the device still uses it.
  gate_.open();
  static_cast<void>(DeviceScope::tryChange(device_));
  static_cast<void>(cudaDeviceSynchronize());
  static_cast<void>(cudaGetLastError());
}

Result BenchSession::run(const Request& request) {
  DeviceScope::change(device_);
  stopIfAsked();
  // Pinned to processors like the host threads of runs, with which calls are compared.
  const OwnProcessors processors(1);
  processors.settle(0);
  switch (request.kind) {
    case Kind::launches:
      return launches(request);
    case Kind::queueDepth:
      return queueDepth(request);
    case Kind::submit:
      return submit(request);
    case Kind::blocks:
      return blocks(request);
    default:
      return copies(request);
  }
}

void BenchSession::stopIfAsked() const {
  if (stop_.requested()) throw Failure("run.cancelled", "The benchmark was cancelled.");
}

/// Times the work that `enqueueAll` puts into the stream behind the gate.
void BenchSession::gatedSample(const Request& request, Result& result, const std::function<void()>& enqueueAll) {
  stopIfAsked();
  gate_.close();
  gate_.hold(stream_.get());
  check(cudaEventRecord(start_.get(), stream_.get()), "cudaEventRecord");
  const std::int64_t before = nowNs();
  try {
    enqueueAll();
  } catch (...) {
    gate_.open();
    throw;
  }
  const std::int64_t after = nowNs();
  check(cudaEventRecord(end_.get(), stream_.get()), "cudaEventRecord");
  gate_.open();
  check(cudaEventSynchronize(end_.get()), "cudaEventSynchronize");
  stopIfAsked();
  gate_.requireHeld();
  result.ns.push_back(betweenEvents(start_, end_));
  result.callNs.push_back(static_cast<double>(after - before) / request.count);
}

/// Times `enqueueAll` and the end of its work by the host's clock.
void BenchSession::hostSample(Result& result, const std::function<void()>& enqueueAll) {
  stopIfAsked();
  const std::int64_t before = nowNs();
  enqueueAll();
  const std::int64_t called = nowNs();
  synchronize();
  const std::int64_t after = nowNs();
  result.onHostClock = true;
  result.ns.push_back(static_cast<double>(after - before));
  result.callNs.push_back(static_cast<double>(called - before));
}

/// Writes the pattern to the source. Host memory gets it from the device, by far the fastest way.
void BenchSession::seed(const Ends& ends, std::uint64_t bytes) {
  void* const source = const_cast<void*>(ends.source);
  void* const made = fromHost(ends.kind) ? memory_.device(device_, bytes, 1) : source;
  check(launchFill(stream_.get(), made, bytes, pattern(), blocks_), "cudaLaunchKernel");
  synchronize();
  if (made != source) check(cudaMemcpy(source, made, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
}

/// Overwrites the target, so that a copy that does nothing is detected.
void BenchSession::poison(const Ends& ends, std::uint64_t bytes) {
  void* const made = toHost(ends.kind) ? memory_.device(device_, bytes, 1) : ends.target;
  check(cudaMemsetAsync(made, poisonByte, bytes, stream_.get()), "cudaMemsetAsync");
  synchronize();
  if (made != ends.target) check(cudaMemcpy(ends.target, made, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
}

/// Compares every byte of the target on the device. A host target is first copied into overwritten device memory.
void BenchSession::verify(const Ends& ends, std::uint64_t bytes, Result& result) {
  compare(onDevice(ends, bytes), bytes, pattern(), result);
}

const std::byte* BenchSession::onDevice(const Ends& ends, std::uint64_t bytes) {
  if (!toHost(ends.kind)) return static_cast<const std::byte*>(ends.target);
  std::byte* const brought = memory_.device(device_, bytes, 1);
  check(cudaMemset(brought, ~poisonByte & 0xff, bytes), "cudaMemset");
  check(cudaMemcpy(brought, ends.target, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  return brought;
}

void BenchSession::compare(const void* data, std::uint64_t bytes, const Content& content, Result& result) {
  DeviceComparison found{0, ~0ull};
  auto* const sum = static_cast<DeviceComparison*>(comparison_.get());
  check(cudaMemcpy(sum, &found, sizeof(found), cudaMemcpyHostToDevice), "cudaMemcpy");
  // A copy from pageable memory may return before its bytes have arrived, and the comparing stream waits for no other.
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  check(launchCompare(stream_.get(), data, bytes, content, blocks_, sum), "cudaLaunchKernel");
  synchronize();
  check(cudaMemcpy(&found, sum, sizeof(found), cudaMemcpyDeviceToHost), "cudaMemcpy");
  result.checked += bytes;
  result.wrong += found.wrong;
}

}  // namespace copyscope::bench
