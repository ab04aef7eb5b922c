// The CUDA engine. cuda_backend.cpp sets up and synchronises, cuda_issue.cpp issues.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "cuda/cuda_calls.h"
#include "cuda/cuda_devices.h"
#include "cuda/cuda_engine.h"
#include "cuda/cuda_graphs.h"
#include "cuda/cuda_host_functions.h"
#include "cuda/cuda_kernels.h"
#include "cuda/cuda_memory.h"
#include "cuda/device_recorder.h"
#include "cuda/device_scope.h"
#include "cuda/library_kernels.h"
#include "executor/backend.h"
#include "executor/stop.h"

namespace copyscope {

class CudaBackend final : public Backend {
 public:
  CudaBackend(Stop& stop, Timing timing) : stop_(stop), timing_(timing), hostFunctions_(stop) {}
  ~CudaBackend() override;

  void prepare(const Program& program) override;
  void attach(int thread) override;
  void reset() override;
  std::byte* host(int buffer) override { return address(buffer); }
  bool isAllocated(int buffer) const override;
  void fillDevice(int buffer) override;
  Comparison compareDevice(const Expectation& expectation) override;
  Comparison compareKernel(const LibraryResult& result) override;

  void issue(const Instruction& instruction, std::int32_t correlation) override;
  void beginCapture(const Instruction& instruction) override;
  void endCapture(const Instruction& instruction) override;
  void instantiate(const Instruction& instruction) override;
  void upload(const Instruction& instruction) override;

  std::optional<CallName> makePlan(const Instruction& instruction) override { return libraries_->makePlan(instruction); }

  CallName allocate(const Instruction& instruction) override { return operationMemory_->allocate(instruction); }
  CallName free(const Instruction& instruction) override { return operationMemory_->free(instruction); }
  void recordStream(const Instruction& instruction) override { operationMemory_->recordStream(instruction); }
  CallName allocatePinned(int buffer) override { return operationMemory_->allocatePinned(buffer); }
  void advise(const Instruction& instruction) override;
  void noteMemory(int iteration) override { operationMemory_->noteReserved(iteration); }
  std::vector<MemoryReport> memory() const override { return operationMemory_->report(); }

  std::unique_ptr<copy::CopyDevice> makeCopyDevice(int device) override;
  copy::StreamRef copyStream(int stream) override { return copyStreams_[static_cast<std::size_t>(stream)].get(); }
  std::uint64_t copyBudget(int device) const override { return copyBudgets_[static_cast<std::size_t>(device)]; }
  const copy::Piece* blockTable(int table) override {
    return static_cast<const copy::Piece*>(blockTables_[static_cast<std::size_t>(table)].get());
  }
  void issuePart(const CopyPart& part, std::int32_t correlation) override;
  void makeCurrent(int thread) override;

  void synchronizeStream(int stream) override;
  void synchronizeEvent(int event) override;
  void synchronizeDevice(int device) override;
  bool queryStream(int stream) override;
  bool queryEvent(int event) override;
  double elapsedNs(int start, int end) override;

  void beginRecording() override;
  void beginIteration(int iteration) override;
  void endIteration() override;
  void endRecording(std::vector<DeviceRow>& rows) override;
  void recordedSoFar(std::vector<DeviceRow>& rows) const override;
  void interrupt() noexcept override;

  const char* timing() const override;
  std::vector<std::string> notes() const override;

 private:
  /// A buffer's data for copies, kept compact, since a cache miss takes longer than issuing a copy.
  struct Place {
    /// Null if an operation makes the buffer.
    std::byte* address = nullptr;
    /// Index of its device; -1 for host memory.
    std::int32_t device = -1;
  };

  void createStopFlag();
  void createStreams();
  void createEvents();
  void createBlockTables();
  void allocateBuffers();
  void requireMemory() const;
  void requireManagedAccess() const;
  void resetAdvice();
  void chooseRecorder();
  std::unique_ptr<DeviceRecorder> makeCuptiRecorder();
  void noteWithoutCupti(const std::string& reason);

  bool issuePlainCopy(const Instruction& instruction);
  void issueAny(const Instruction& instruction, std::int32_t correlation);
  void put(const Instruction& instruction, std::int32_t correlation);
  void record(const Instruction& instruction, std::int32_t correlation);
  /// Makes `call` as the stream's next operation, and notes it for the recorder.
  template <typename Call>
  void noted(const Instruction& instruction, std::int32_t correlation, const Call& call);
  void launchGraph(const Instruction& instruction, std::int32_t correlation);
  /// Makes the operation's own call, in its stream.
  void call(const Instruction& instruction, std::int32_t correlation, std::shared_ptr<const CapturedGraph> capture);
  cudaError_t copy(const Instruction& instruction);
  cudaError_t launchKernel(const Instruction& instruction);
  std::unique_lock<std::mutex> lockStream(int stream);
  std::vector<GraphLaunch> launches() const;

  /// Throws a Failure `run.not-allocated` if the buffer has no memory.
  std::byte* address(int buffer) const {
    std::byte* const fixed = place(buffer).address;
    return fixed != nullptr ? fixed : addressByOperation(buffer);
  }
  std::byte* addressByOperation(int buffer) const;
  /// Keeps memory of a cache from reuse before a copy that uses it has completed.
  void noteUse(int buffer, int stream) {
    if (place(buffer).address == nullptr) operationMemory_->noteUse(buffer, stream);
  }
  std::byte* at(int buffer, std::uint64_t offset) const { return address(buffer) + offset; }
  cudaStream_t handle(int stream) const { return streams_.handles[static_cast<std::size_t>(stream)]; }
  int ordinalOf(int stream) const { return streams_.ordinals[static_cast<std::size_t>(stream)]; }
  cudaEvent_t event(int index) const { return events_[static_cast<std::size_t>(index)].get(); }
  const Place& place(int buffer) const { return places_[static_cast<std::size_t>(buffer)]; }
  const Buffer& buffer(int index) const { return program_->buffers[static_cast<std::size_t>(index)]; }
  const Stream& stream(int index) const { return program_->streams[static_cast<std::size_t>(index)]; }
  const CudaDevice& deviceOf(int index) const { return devices_[stream(index).device]; }

  Stop& stop_;
  /// Preferred source of device times.
  Timing timing_;
  const Program* program_ = nullptr;
  Counts counts_;
  CudaDevices devices_;

  // Later members use earlier ones, which are therefore destroyed after them.
  StreamHandles streams_;
  std::vector<OwnedStream> ownedStreams_;
  /// The streams for the copy engine.
  std::vector<copy::OwnedCopyStream> copyStreams_;
  std::vector<OwnedEvent> events_;
  /// Memory of buffers that exist before the run.
  std::vector<CudaAllocation> allocations_;
  std::vector<Place> places_;
  std::unique_ptr<CudaMemory> source_;
  std::unique_ptr<BufferMemory> operationMemory_;
  std::vector<std::uint64_t> copyBudgets_;
  PartInstructions parts_;
  std::vector<PinnedMemory> blockTables_;
  CudaHostFunctions hostFunctions_;
  std::unique_ptr<CudaGraphs> graphs_;
  std::unique_ptr<LibraryKernels> libraries_;

  PinnedMemory stopFlag_;
  std::atomic<volatile int*> hostFlag_{nullptr};
  const volatile int* deviceFlag_ = nullptr;

  // Recording. A stream used by several threads is locked while an operation is issued, so that the noted order is the
  // order in the stream.
  std::unique_ptr<DeviceRecorder> recorder_;
  std::vector<std::unique_ptr<std::mutex>> streamMutexes_;
  std::vector<std::vector<Issued>> issued_;
  int iteration_ = -1;
  std::vector<DeviceRow> hostFunctionRows_;
  std::vector<std::string> notes_;
};

}  // namespace copyscope
