#include "cuda/cuda_copy_device.h"

#include <string>

#include "cuda/cuda_batches.h"
#include "cuda/device_scope.h"

namespace copyscope::copy {
namespace {

cudaMemcpyKind kindOf(Direction direction) {
  switch (direction) {
    case Direction::h2d:
      return cudaMemcpyHostToDevice;
    case Direction::d2h:
      return cudaMemcpyDeviceToHost;
    case Direction::d2d:
      return cudaMemcpyDeviceToDevice;
    default:
      return cudaMemcpyHostToHost;
  }
}

cudaStream_t streamOf(StreamRef stream) { return static_cast<const CudaCopyStream*>(stream)->handle(); }
cudaEvent_t eventOf(EventRef event) { return static_cast<const CudaCopyEvent*>(event)->handle(); }

/// Returns the result of an allocation: null if there is no memory left. Throws a Failure for any other error.
void* orNull(cudaError_t error, void* memory, const char* call) {
  if (error == cudaErrorMemoryAllocation) {
    static_cast<void>(cudaGetLastError());
    return nullptr;
  }
  check(error, call);
  return memory;
}

class CudaCopyDevice final : public CopyDevice {
 public:
  explicit CudaCopyDevice(int index) : index_(index) {
    attach();
    check(cudaFree(nullptr), "cudaFree");
    check(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, index), "cudaDeviceGetAttribute");
    other_ = createStream();
  }

  int index() const override { return index_; }
  void attach() override { DeviceScope::change(index_); }

  void* allocatePinned(std::size_t bytes) override {
    void* memory = nullptr;
    const cudaError_t error = cudaHostAlloc(&memory, bytes, cudaHostAllocPortable);
    return orNull(error, memory, "cudaHostAlloc");
  }
  void freePinned(void* memory) noexcept override { static_cast<void>(cudaFreeHost(memory)); }

  void* allocateDevice(std::size_t bytes) override {
    attach();
    void* memory = nullptr;
    const cudaError_t error = cudaMalloc(&memory, bytes);
    return orNull(error, memory, "cudaMalloc");
  }
  void freeDevice(void* memory) noexcept override { static_cast<void>(cudaFree(memory)); }
  std::size_t freeDeviceBytes() override {
    std::size_t available = 0;
    std::size_t total = 0;
    attach();
    check(cudaMemGetInfo(&available, &total), "cudaMemGetInfo");
    return available;
  }

  void copy(void* target, const void* source, std::size_t bytes, Direction direction, StreamRef stream) override {
    check(cudaMemcpyAsync(target, source, bytes, kindOf(direction), streamOf(stream)), "cudaMemcpyAsync");
  }
  void copyPeer(void* target, const void* source, int sourceDevice, std::size_t bytes, StreamRef stream) override {
    check(cudaMemcpyPeerAsync(target, index_, source, sourceDevice, bytes, streamOf(stream)), "cudaMemcpyPeerAsync");
  }

  void copyPieces(const Piece* pieces, std::size_t count, StreamRef stream, double share) override {
    const std::size_t most = blocksIn(share, multiprocessors_);
    check(launchPieces(streamOf(stream), pieces, count, nullptr, nullptr, most), "cudaLaunchKernel");
  }
  /// The legacy default stream takes no batches, so another stream takes its place, in the same order.
  void copyBatch(const Piece* pieces, std::size_t count, Direction, StreamRef stream) override {
    const cudaStream_t asked = streamOf(stream);
    if (asked != nullptr && asked != cudaStreamLegacy) return copyscope::copyBatch(asked, pieces, count, nullptr, nullptr);
    CudaCopyEvent mark(copyscope::createEvent(false));
    record(&mark, stream);
    streamWait(other_.get(), &mark);
    copyscope::copyBatch(streamOf(other_.get()), pieces, count, nullptr, nullptr);
    record(&mark, other_.get());
    streamWait(stream, &mark);
  }
  bool hasBatches() const override { return copyscope::hasBatches(); }

  OwnedCopyStream createStream() override { return std::make_unique<CudaCopyStream>(copyscope::createStream(true)); }
  void synchronize(StreamRef stream) override {
    check(cudaStreamSynchronize(streamOf(stream)), "cudaStreamSynchronize");
  }

  OwnedCopyEvent createEvent() override { return std::make_unique<CudaCopyEvent>(copyscope::createEvent(false)); }
  void record(EventRef event, StreamRef stream) override {
    check(cudaEventRecord(eventOf(event), streamOf(stream)), "cudaEventRecord");
  }
  void wait(EventRef event) override { check(cudaEventSynchronize(eventOf(event)), "cudaEventSynchronize"); }
  bool isDone(EventRef event) override {
    const cudaError_t answer = cudaEventQuery(eventOf(event));
    if (answer != cudaErrorNotReady) check(answer, "cudaEventQuery");
    return answer == cudaSuccess;
  }
  void streamWait(StreamRef stream, EventRef event) override {
    check(cudaStreamWaitEvent(streamOf(stream), eventOf(event), 0), "cudaStreamWaitEvent");
  }

 private:
  const int index_;
  int multiprocessors_ = 1;
  OwnedCopyStream other_;
};

}  // namespace

int cudaDeviceCount() noexcept {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return 0;
  }
  return count;
}

std::unique_ptr<CopyDevice> makeCudaCopyDevice(int index) {
  const int count = cudaDeviceCount();
  if (index < 0 || index >= count) {
    throw Failure("copy.no-device",
                  "There is no device cuda:" + std::to_string(index) + "; CUDA devices found: " +
                      std::to_string(count) + ".",
                  "Name one that there is, or cpu-device:0 for a simulated one.", "device");
  }
  return std::make_unique<CudaCopyDevice>(index);
}

}  // namespace copyscope::copy
