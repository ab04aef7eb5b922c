// The CUDA engine.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "backend.h"
#include "cuda_calls.h"
#include "cuda_engine.h"
#include "cuda_kernels.h"
#include "device_recorder.h"
#include "host_memory.h"
#include "stop.h"

namespace copyscope {

class CudaBackend final : public Backend {
 public:
  CudaBackend(Stop& stop, Timing timing) : stop_(stop), timing_(timing) {}
  ~CudaBackend() override;

  void prepare(const Program& program) override;
  void attach(int thread) override;
  std::byte* host(int buffer) override;
  void fillDevice(int buffer) override;
  Comparison compareDevice(const Expectation& expectation) override;

  void copy(const Instruction& instruction, std::int32_t correlation) override;
  void spin(const Instruction& instruction, std::int32_t correlation) override;
  void stream(const Instruction& instruction, std::int32_t correlation) override;
  void recordEvent(const Instruction& instruction, std::int32_t correlation) override;
  void waitEvent(const Instruction& instruction, std::int32_t correlation) override;

  void synchronizeStream(int stream) override;
  void synchronizeEvent(int event) override;
  void synchronizeDevice() override;
  bool queryStream(int stream) override;
  bool queryEvent(int event) override;

  void beginRecording() override;
  void beginIteration(int iteration) override;
  void endIteration() override;
  void endRecording(std::vector<DeviceRow>& rows) override;
  void interrupt() noexcept override;

  const char* timing() const override;
  std::vector<std::string> notes() const override;

 private:
  /// Where a buffer lies: one of the three owners holds it.
  struct Allocation {
    DeviceMemory device;
    PinnedMemory pinned;
    Pages pageable;
    std::byte* address = nullptr;
  };

  void selectDevice();
  void createService();
  void createStreams();
  void allocateBuffers();
  Allocation allocate(const Buffer& buffer);
  void chooseRecorder();

  template <typename Call>
  void issue(const Instruction& instruction, std::int32_t correlation, const char* name, const Call& call);
  cudaError_t copyNow(const Instruction& instruction);
  std::byte* at(std::int32_t buffer, std::uint64_t offset) const;
  cudaStream_t handle(int stream) const { return streams_.handles[static_cast<std::size_t>(stream)]; }
  cudaEvent_t event(int index) const { return events_[static_cast<std::size_t>(index)].get(); }
  const Buffer& buffer(std::int32_t index) const { return program_->buffers[static_cast<std::size_t>(index)]; }

  Stop& stop_;
  const Timing timing_;
  const Program* program_ = nullptr;
  Counts counts_;
  /// Most blocks of a launch: as many as the device can hold at once.
  int blocks_ = 1;

  std::vector<Allocation> allocations_;
  StreamHandles streams_;
  std::vector<OwnedStream> ownedStreams_;
  std::vector<OwnedEvent> events_;

  // For filling and comparing: a stream of our own that no program uses.
  OwnedStream service_;
  DeviceMemory comparison_;
  PinnedMemory stopFlag_;
  std::atomic<volatile int*> hostFlag_{nullptr};
  const volatile int* deviceFlag_ = nullptr;

  // Recording. A stream that several threads use is locked while an operation is issued, so that the order noted is
  // the order in the stream.
  std::unique_ptr<DeviceRecorder> recorder_;
  std::vector<std::unique_ptr<std::mutex>> streamMutexes_;
  std::vector<std::vector<Issued>> issued_;
  int iteration_ = -1;
  std::vector<std::string> notes_;
};

}  // namespace copyscope
