#include "cuda_backend.h"

#include <algorithm>

#include "event_recorder.h"
#include "memory_check.h"
#ifdef COPYSCOPE_WITH_CUPTI
#include "cupti_recorder.h"
#endif

// cudaMemcpy in this thread's own default stream. The header declares it only to sources in which all calls mean that.
extern "C" cudaError_t CUDARTAPI cudaMemcpy_ptds(void* target, const void* source, size_t bytes, cudaMemcpyKind kind);

namespace copyscope {
namespace {

constexpr int blocksPerMultiprocessor = 8;

cudaMemcpyKind kindOf(const Buffer& src, const Buffer& dst) {
  if (isDevice(src)) return isDevice(dst) ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost;
  return isDevice(dst) ? cudaMemcpyHostToDevice : cudaMemcpyHostToHost;
}

/// Whether all is done, by the answer of a query.
bool isDone(cudaError_t answer, const char* call) {
  if (answer != cudaErrorNotReady) check(answer, call);
  return answer == cudaSuccess;
}

}  // namespace

std::unique_ptr<Backend> makeCudaBackend(Stop& stop, Timing timing) {
  return std::make_unique<CudaBackend>(stop, timing);
}

CudaBackend::~CudaBackend() {
  // Nothing may be freed while the device still uses it.
  interrupt();
  static_cast<void>(cudaDeviceSynchronize());
  static_cast<void>(cudaGetLastError());
  recorder_.reset();
  hostFlag_.store(nullptr);
}

// Setting up

void CudaBackend::prepare(const Program& program) {
  program_ = &program;
  counts_ = countRows(program);
  selectDevice();
  createService();
  createStreams();
  for (const bool timed : program.events) events_.push_back(createEvent(timed));
  allocateBuffers();
  chooseRecorder();
}

void CudaBackend::selectDevice() {
  int count = 0;
  check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  if (program_->device >= count) {
    throw Failure("engine.no-device",
                  "The experiment runs on device " + std::to_string(program_->device) + ", and there are " +
                      std::to_string(count) + ".",
                  "Give the device an index below that.", "devices[0].index");
  }
  check(cudaSetDevice(program_->device), "cudaSetDevice");
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, program_->device), "cudaGetDeviceProperties");
  blocks_ = properties.multiProcessorCount * blocksPerMultiprocessor;
  check(cudaFree(nullptr), "cudaFree");
  check(loadKernels(), "cudaFuncGetAttributes");
}

void CudaBackend::createService() {
  service_ = createStream(true);
  comparison_ = allocateDevice(sizeof(DeviceComparison));
  void* onDevice = nullptr;
  stopFlag_ = allocateMapped(sizeof(int), &onDevice);
  deviceFlag_ = static_cast<const volatile int*>(onDevice);
  auto* const flag = static_cast<volatile int*>(stopFlag_.get());
  *flag = 0;
  hostFlag_.store(flag);
  // A stop that came before the flag was there.
  if (stop_.requested()) *flag = 1;
}

void CudaBackend::createStreams() {
  streams_.program = program_;
  for (const Stream& stream : program_->streams) {
    switch (stream.kind) {
      case StreamKind::legacyDefault:
        streams_.handles.push_back(cudaStreamLegacy);
        break;
      case StreamKind::perThreadDefault:
        streams_.handles.push_back(cudaStreamPerThread);
        break;
      default:
        ownedStreams_.push_back(createStream(stream.kind == StreamKind::nonBlocking));
        streams_.handles.push_back(ownedStreams_.back().get());
    }
  }
  for (std::size_t stream = 0; stream < program_->streams.size(); ++stream) {
    const bool shared = counts_.streamThreads[stream] > 1;
    streamMutexes_.push_back(shared ? std::make_unique<std::mutex>() : nullptr);
    issued_.emplace_back(counts_.streamRows[stream]);
    issued_.back().clear();
  }
}

void CudaBackend::allocateBuffers() {
  std::size_t available = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&available, &total), "cudaMemGetInfo");
  requireDeviceMemory(*program_, available);
  requireHostMemory(*program_, false);
  for (const Buffer& declared : program_->buffers) {
    if (stop_.requested()) return;  // The executor looks next.
    allocations_.push_back(allocate(declared));
  }
}

CudaBackend::Allocation CudaBackend::allocate(const Buffer& declared) {
  Allocation allocation;
  const auto bytes = static_cast<std::size_t>(declared.bytes);
  try {
    if (declared.memory == Memory::device) {
      allocation.device = allocateDevice(bytes);
      allocation.address = static_cast<std::byte*>(allocation.device.get());
    } else if (declared.memory == Memory::pinned) {
      allocation.pinned = allocatePinned(bytes);
      allocation.address = static_cast<std::byte*>(allocation.pinned.get());
    } else {
      allocation.pageable = allocatePages(bytes);
      allocation.address = allocation.pageable.get();
    }
  } catch (Failure& failure) {
    failure.field = "buffers." + declared.id;
    failure.message = "Buffer " + declared.id + " of " + std::to_string(bytes) + " bytes: " + failure.message;
    throw;
  }
  if (allocation.address == nullptr) throw outOfMemory(declared, "host");
  return allocation;
}

void CudaBackend::chooseRecorder() {
  if (timing_ == Timing::events) {
    recorder_ = std::make_unique<EventRecorder>(streams_, service_.get());
    return;
  }
#ifdef COPYSCOPE_WITH_CUPTI
  const CuptiLibrary& library = CuptiLibrary::instance();
  std::string reason = library.detail();
  if (library.isUsable()) {
    try {
      recorder_ = std::make_unique<CuptiRecorder>(library, streams_);
      for (std::size_t stream = 0; stream < program_->streams.size(); ++stream) {
        const bool perThread = program_->streams[stream].kind == StreamKind::perThreadDefault;
        if (!perThread) recorder_->identify(static_cast<int>(stream));
      }
      return;
    } catch (const Failure& failure) {
      reason = failure.message;
    }
  }
#else
  const std::string reason = "The addon was built without CUPTI's headers.";
#endif
  notes_.push_back("CUPTI could not be used: " + reason);
  recorder_ = std::make_unique<EventRecorder>(streams_, service_.get());
}

void CudaBackend::attach(int thread) {
  check(cudaSetDevice(program_->device), "cudaSetDevice");
  for (std::size_t stream = 0; stream < program_->streams.size(); ++stream) {
    const Stream& declared = program_->streams[stream];
    const bool mine = declared.kind == StreamKind::perThreadDefault && declared.thread == thread;
    if (mine) recorder_->identify(static_cast<int>(stream));
  }
}

std::byte* CudaBackend::host(int index) { return allocations_[static_cast<std::size_t>(index)].address; }

std::byte* CudaBackend::at(std::int32_t index, std::uint64_t offset) const {
  return allocations_[static_cast<std::size_t>(index)].address + offset;
}

void CudaBackend::fillDevice(int index) {
  const Buffer& filled = buffer(index);
  check(launchFill(service_.get(), at(index, 0), filled.bytes, filled.pattern, blocks_), "cudaLaunchKernel");
  check(cudaStreamSynchronize(service_.get()), "cudaStreamSynchronize");
}

Comparison CudaBackend::compareDevice(const Expectation& expectation) {
  DeviceComparison found{0, ~0ull};
  auto* const result = static_cast<DeviceComparison*>(comparison_.get());
  check(cudaMemcpyAsync(result, &found, sizeof(found), cudaMemcpyHostToDevice, service_.get()), "cudaMemcpyAsync");
  check(launchCompare(service_.get(), at(expectation.buffer, expectation.offset), expectation.bytes,
                      expectation.content, blocks_, result),
        "cudaLaunchKernel");
  check(cudaMemcpyAsync(&found, result, sizeof(found), cudaMemcpyDeviceToHost, service_.get()), "cudaMemcpyAsync");
  check(cudaStreamSynchronize(service_.get()), "cudaStreamSynchronize");
  return {expectation.bytes, found.wrong, found.wrong > 0 ? found.firstWrong : 0};
}

// Issuing

template <typename Call>
void CudaBackend::issue(const Instruction& instruction, std::int32_t correlation, const char* name, const Call& call) {
  if (correlation == 0) return check(call(), name);
  const auto stream = static_cast<std::size_t>(instruction.stream);
  std::unique_lock<std::mutex> lock;
  if (streamMutexes_[stream] != nullptr) lock = std::unique_lock<std::mutex>(*streamMutexes_[stream]);
  const std::size_t position = issued_[stream].size();
  recorder_->before(instruction.stream, position);
  check(call(), name);
  recorder_->after(instruction.stream, position);
  issued_[stream].push_back({&instruction, correlation});
}

void CudaBackend::copy(const Instruction& instruction, std::int32_t correlation) {
  const char* const name = instruction.blocking ? "cudaMemcpy" : "cudaMemcpyAsync";
  issue(instruction, correlation, name, [&] { return copyNow(instruction); });
}

cudaError_t CudaBackend::copyNow(const Instruction& instruction) {
  std::byte* const target = at(instruction.dst, instruction.dstOffset);
  const std::byte* const source = at(instruction.src, instruction.srcOffset);
  const auto bytes = static_cast<std::size_t>(instruction.bytes);
  const cudaMemcpyKind kind = kindOf(buffer(instruction.src), buffer(instruction.dst));
  if (!instruction.blocking) return cudaMemcpyAsync(target, source, bytes, kind, handle(instruction.stream));
  const StreamKind stream = program_->streams[static_cast<std::size_t>(instruction.stream)].kind;
  return stream == StreamKind::perThreadDefault ? cudaMemcpy_ptds(target, source, bytes, kind)
                                                : cudaMemcpy(target, source, bytes, kind);
}

void CudaBackend::spin(const Instruction& instruction, std::int32_t correlation) {
  issue(instruction, correlation, "cudaLaunchKernel",
        [&] { return launchSpin(handle(instruction.stream), instruction.amount, deviceFlag_); });
}

void CudaBackend::stream(const Instruction& instruction, std::int32_t correlation) {
  issue(instruction, correlation, "cudaLaunchKernel", [&] {
    return launchStream(handle(instruction.stream), at(instruction.src, 0), at(instruction.dst, 0), instruction.bytes,
                        instruction.amount, blocks_, deviceFlag_);
  });
}

void CudaBackend::recordEvent(const Instruction& instruction, std::int32_t) {
  check(cudaEventRecord(event(instruction.event), handle(instruction.stream)), "cudaEventRecord");
}

void CudaBackend::waitEvent(const Instruction& instruction, std::int32_t) {
  check(cudaStreamWaitEvent(handle(instruction.stream), event(instruction.event), 0), "cudaStreamWaitEvent");
}

// Synchronisation

void CudaBackend::synchronizeStream(int stream) {
  check(cudaStreamSynchronize(handle(stream)), "cudaStreamSynchronize");
}

void CudaBackend::synchronizeEvent(int index) { check(cudaEventSynchronize(event(index)), "cudaEventSynchronize"); }
void CudaBackend::synchronizeDevice() { check(cudaDeviceSynchronize(), "cudaDeviceSynchronize"); }
bool CudaBackend::queryStream(int stream) { return isDone(cudaStreamQuery(handle(stream)), "cudaStreamQuery"); }
bool CudaBackend::queryEvent(int index) { return isDone(cudaEventQuery(event(index)), "cudaEventQuery"); }

// Recording

void CudaBackend::beginRecording() {
  try {
    recorder_->begin(counts_);
  } catch (const Failure& failure) {
    if (failure.code != "engine.cupti") throw;
    notes_.push_back("CUPTI could not be used: " + failure.message);
    recorder_ = std::make_unique<EventRecorder>(streams_, service_.get());
    recorder_->begin(counts_);
  }
}

void CudaBackend::beginIteration(int iteration) {
  iteration_ = iteration;
  for (auto& operations : issued_) operations.clear();
  recorder_->beginIteration();
}

void CudaBackend::endIteration() { recorder_->endIteration(iteration_, issued_); }

void CudaBackend::endRecording(std::vector<DeviceRow>& rows) { recorder_->end(rows); }

void CudaBackend::interrupt() noexcept {
  volatile int* const flag = hostFlag_.load();
  if (flag != nullptr) *flag = 1;
}

const char* CudaBackend::timing() const { return recorder_->timing(); }

std::vector<std::string> CudaBackend::notes() const {
  std::vector<std::string> all = notes_;
  const std::vector<std::string> recorded = recorder_->notes();
  all.insert(all.end(), recorded.begin(), recorded.end());
  return all;
}

}  // namespace copyscope
