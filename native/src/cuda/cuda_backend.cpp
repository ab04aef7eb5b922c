#include "cuda/cuda_backend.h"

#include <algorithm>
#include <cstring>

#include "cuda/cuda_batches.h"
#include "cuda/cuda_copy_device.h"
#include "cuda/event_recorder.h"
#include "executor/library_check.h"
#include "executor/library_numbers.h"
#include "executor/memory_check.h"
#include "executor/run_failures.h"
#ifdef COPYSCOPE_WITH_CUPTI
#include "cupti/cupti_recorder.h"
#endif

namespace copyscope {
namespace {

/// Returns true if a query says that all work is done.
bool isDone(cudaError_t answer, const char* call) {
  if (answer != cudaErrorNotReady) check(answer, call);
  return answer == cudaSuccess;
}

}  // namespace

std::unique_ptr<Backend> makeCudaBackend(Stop& stop, Timing timing) {
  return std::make_unique<CudaBackend>(stop, timing);
}

CudaBackend::~CudaBackend() {
  // Nothing may be freed while a device still uses it.
  interrupt();
  for (int device = 0; device < devices_.count(); ++device) {
    if (DeviceScope::tryChange(devices_[device].ordinal)) static_cast<void>(cudaDeviceSynchronize());
  }
  static_cast<void>(cudaGetLastError());
  recorder_.reset();
  hostFlag_.store(nullptr);
}

// Set-up

void CudaBackend::prepare(const Program& program) {
  program_ = &program;
  counts_ = countRows(program);
  devices_.open(program);
  createStopFlag();
  createStreams();
  createEvents();
  createBlockTables();
  graphs_ = std::make_unique<CudaGraphs>(program);
  PinnedShares pinned = requirePinnedMemory(program);
  copyBudgets_ = std::move(pinned.copies);
  allocateBuffers();
  source_ = std::make_unique<CudaMemory>(program, devices_, streams_.handles);
  operationMemory_ = std::make_unique<BufferMemory>(program, *source_, source_->segments(), source_->hostSegments(),
                                                    pinned.operations);
  libraries_ = std::make_unique<LibraryKernels>(program, streams_);
  libraries_->prepare();
  chooseRecorder();
}

void CudaBackend::createBlockTables() {
  for (const std::vector<copy::Piece>& blocks : program_->blockTables) {
    const std::size_t bytes = blocks.size() * sizeof(copy::Piece);
    blockTables_.push_back(copyscope::allocatePinned(bytes));
    std::memcpy(blockTables_.back().get(), blocks.data(), bytes);
  }
  for (const auto& thread : program_->threads) {
    for (const Instruction& instruction : thread) {
      if (instruction.code == Code::blockCopy && instruction.blocking) requireBatches();
    }
  }
}

/// Portable, so that kernels of every device see it.
void CudaBackend::createStopFlag() {
  stopFlag_ = allocateMapped(sizeof(int));
  deviceFlag_ = static_cast<const volatile int*>(addressOnDevice(stopFlag_));
  auto* const flag = static_cast<volatile int*>(stopFlag_.get());
  *flag = 0;
  hostFlag_.store(flag);
  // A stop may have come before the flag existed.
  if (stop_.requested()) *flag = 1;
}

void CudaBackend::createStreams() {
  streams_.program = program_;
  for (const Stream& declared : program_->streams) {
    const DeviceScope scope(devices_[declared.device].ordinal);
    streams_.ordinals.push_back(devices_[declared.device].ordinal);
    switch (declared.kind) {
      case StreamKind::legacyDefault:
        streams_.handles.push_back(cudaStreamLegacy);
        break;
      case StreamKind::perThreadDefault:
        streams_.handles.push_back(cudaStreamPerThread);
        break;
      default:
        ownedStreams_.push_back(createStream(declared.kind == StreamKind::nonBlocking, declared.priority));
        streams_.handles.push_back(ownedStreams_.back().get());
    }
    copyStreams_.push_back(std::make_unique<copy::CudaCopyStream>(streams_.handles.back()));
  }
  for (std::size_t index = 0; index < program_->streams.size(); ++index) {
    const bool shared = counts_.streamThreads[index] > 1;
    streamMutexes_.push_back(shared ? std::make_unique<std::mutex>() : nullptr);
    issued_.emplace_back(counts_.streamRows[index]);
    issued_.back().clear();
  }
}

/// An event belongs to the device of the streams that record it.
void CudaBackend::createEvents() {
  std::vector<std::int32_t> devices(program_->events.size(), 0);
  for (const auto& instructions : program_->threads) {
    for (const Instruction& instruction : instructions) {
      if (instruction.code != Code::recordEvent) continue;
      devices[static_cast<std::size_t>(instruction.event)] = stream(instruction.stream).device;
    }
  }
  for (std::size_t index = 0; index < program_->events.size(); ++index) {
    const DeviceScope scope(devices_[devices[index]].ordinal);
    events_.push_back(createEvent(program_->events[index]));
  }
}

void CudaBackend::requireMemory() const {
  for (int device = 0; device < devices_.count(); ++device) {
    const DeviceScope scope(devices_[device].ordinal);
    std::size_t available = 0;
    std::size_t total = 0;
    check(cudaMemGetInfo(&available, &total), "cudaMemGetInfo");
    requireDeviceMemory(*program_, device, available);
  }
  requireHostMemory(*program_, false);
}

void CudaBackend::allocateBuffers() {
  requireManagedAccess();
  requireMemory();
  for (const Buffer& declared : program_->buffers) places_.push_back({nullptr, isDevice(declared) ? declared.device : -1});
  for (std::size_t index = 0; index < places_.size(); ++index) {
    if (stop_.requested()) return;  // The executor checks next.
    const Buffer& declared = program_->buffers[index];
    allocations_.emplace_back();
    if (declared.byOperation) continue;
    try {
      allocations_.back() = allocateBuffer(declared, devices_);
    } catch (Failure& failure) {
      failure.field = "buffers." + declared.id;
      failure.message = "Buffer " + declared.id + " of " + std::to_string(declared.bytes) + " bytes: " + failure.message;
      throw;
    }
    places_[index].address = allocations_.back().address;
    if (places_[index].address == nullptr) throw outOfMemory(declared, "host");
  }
}

/// Throws a Failure if a device can't move pages while both sides use them.
void CudaBackend::requireManagedAccess() const {
  for (const Buffer& declared : program_->buffers) {
    if (declared.memory != Memory::managed) continue;
    int concurrent = 0;
    check(cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentManagedAccess, devices_[declared.device].ordinal),
          "cudaDeviceGetAttribute");
    if (concurrent == 1) continue;
    throw Failure("engine.unsupported",
                  "The device moves managed memory only as a whole (concurrentManagedAccess is 0), as on Windows, in WSL, "
                  "and before the Pascal generation.",
                  "Use pinned or mapped memory, or run it on Linux on a newer device.", "buffers." + declared.id);
  }
}

void CudaBackend::advise(const Instruction& instruction) {
  const int ordinal = devices_[buffer(instruction.src).device].ordinal;
  constexpr cudaMemoryAdvise advice[] = {cudaMemAdviseSetReadMostly, cudaMemAdviseSetPreferredLocation,
                                         cudaMemAdviseSetPreferredLocation, cudaMemAdviseSetAccessedBy};
  const int place = instruction.amount == 1 ? cudaCpuDeviceId : ordinal;
  adviseManaged(at(instruction.src, 0), buffer(instruction.src).bytes, advice[instruction.amount], place);
}

/// Takes back what an iteration advised, so that the next one begins like the first.
void CudaBackend::resetAdvice() {
  for (std::size_t index = 0; index < places_.size(); ++index) {
    const Buffer& declared = program_->buffers[index];
    if (declared.memory != Memory::managed || places_[index].address == nullptr) continue;
    const int ordinal = devices_[declared.device].ordinal;
    for (const cudaMemoryAdvise advice :
         {cudaMemAdviseUnsetReadMostly, cudaMemAdviseUnsetPreferredLocation, cudaMemAdviseUnsetAccessedBy}) {
      adviseManaged(places_[index].address, declared.bytes, advice, ordinal);
    }
  }
}

void CudaBackend::reset() {
  operationMemory_->freeAll();
  synchronizeDevice(-1);  // Memory of pools is freed in the order of their streams.
  source_->freeParked();
  graphs_->reset();
  libraries_->reset();
  hostFunctions_.reset();
  resetAdvice();
}

std::byte* CudaBackend::addressByOperation(int index) const {
  std::byte* const found = operationMemory_->address(index);
  if (found == nullptr) throw notAllocated(buffer(index));
  return found;
}

bool CudaBackend::isAllocated(int index) const {
  return place(index).address != nullptr || operationMemory_->address(index) != nullptr;
}

/// Uses CUDA events if CUPTI is not wanted, can't be used or can't time the program.
void CudaBackend::chooseRecorder() {
  recorder_ = timing_ == Timing::events ? nullptr : makeCuptiRecorder();
  if (recorder_ == nullptr) recorder_ = std::make_unique<EventRecorder>(streams_);
}

/// Returns null if CUPTI is unsuitable; a note then gives the reason.
std::unique_ptr<DeviceRecorder> CudaBackend::makeCuptiRecorder() {
  if (hasPeerCopies(*program_) && !devices_.reachEachOther()) {
    // On two H200 it recorded 22 us for 256 MiB that took 7 ms.
    notes_.push_back(
        "Copies between devices without peer access go through host memory, and CUPTI doesn't tell how long: device "
        "times come from CUDA events.");
    return nullptr;
  }
  if (hasPrefetches(*program_)) {
    notes_.push_back("CUPTI doesn't tell when a prefetch of managed memory ended: device times come from CUDA events.");
    return nullptr;
  }
#ifdef COPYSCOPE_WITH_CUPTI
  const CuptiLibrary& library = CuptiLibrary::instance();
  std::string reason = library.detail();
  if (library.isUsable()) {
    try {
      auto recorder = std::make_unique<CuptiRecorder>(library, streams_);
      for (std::size_t stream = 0; stream < program_->streams.size(); ++stream) {
        const Stream& declared = program_->streams[stream];
        const DeviceScope scope(devices_[declared.device].ordinal);
        if (declared.kind != StreamKind::perThreadDefault) recorder->identify(static_cast<int>(stream));
      }
      return recorder;
    } catch (const Failure& failure) {
      reason = failure.message;
    }
  }
#else
  const std::string reason = "The addon was built without CUPTI's headers.";
#endif
  noteWithoutCupti(reason);
  return nullptr;
}

void CudaBackend::noteWithoutCupti(const std::string& reason) {
  notes_.push_back("CUPTI could not be used: " + reason);
}

void CudaBackend::attach(int thread) {
  makeCurrent(thread);
  for (std::size_t index = 0; index < program_->streams.size(); ++index) {
    const Stream& declared = program_->streams[index];
    const bool mine = declared.kind == StreamKind::perThreadDefault && declared.thread == thread;
    const DeviceScope scope(devices_[declared.device].ordinal);
    if (mine) recorder_->identify(static_cast<int>(index));
  }
}

std::unique_ptr<copy::CopyDevice> CudaBackend::makeCopyDevice(int device) {
  return copy::makeCudaCopyDevice(devices_[device].ordinal);
}

void CudaBackend::makeCurrent(int thread) {
  DeviceScope::change(devices_[deviceOfThread(*program_, thread)].ordinal);
}

void CudaBackend::fillDevice(int index) {
  const Buffer& filled = buffer(index);
  const CudaDevice& device = devices_[filled.device];
  const DeviceScope scope(device.ordinal);
  const cudaStream_t service = device.service.get();
  check(launchFill(service, at(index, 0), filled.bytes, filled.pattern, device.allBlocks()), "cudaLaunchKernel");
  check(cudaStreamSynchronize(service), "cudaStreamSynchronize");
}

Comparison CudaBackend::compareDevice(const Expectation& expectation) {
  const CudaDevice& device = devices_[buffer(expectation.buffer).device];
  const DeviceScope scope(device.ordinal);
  const cudaStream_t service = device.service.get();
  DeviceComparison found{0, ~0ull};
  auto* const result = static_cast<DeviceComparison*>(device.comparison.get());
  check(cudaMemcpyAsync(result, &found, sizeof(found), cudaMemcpyHostToDevice, service), "cudaMemcpyAsync");
  check(launchCompare(service, at(expectation.buffer, expectation.offset), expectation.bytes, expectation.content,
                      device.allBlocks(), result),
        "cudaLaunchKernel");
  check(cudaMemcpyAsync(&found, result, sizeof(found), cudaMemcpyDeviceToHost, service), "cudaMemcpyAsync");
  check(cudaStreamSynchronize(service), "cudaStreamSynchronize");
  return {expectation.bytes, found.wrong, found.wrong > 0 ? found.firstWrong : 0};
}

Comparison CudaBackend::compareKernel(const LibraryResult& result) {
  const Buffer& written = buffer(result.buffer);
  const DeviceScope scope(devices_[written.device].ordinal);
  const LibraryCall& call = program_->libraryCalls[static_cast<std::size_t>(result.call)];
  std::vector<std::byte> found(static_cast<std::size_t>(call.m * call.n) * bytesOfNumber(call.type));
  check(cudaMemcpy(found.data(), at(result.buffer, 0), found.size(), cudaMemcpyDeviceToHost), "cudaMemcpy");
  return compareResult(call, result, found.data());
}

// Synchronisation

void CudaBackend::synchronizeStream(int index) {
  const DeviceScope scope(ordinalOf(index));
  check(cudaStreamSynchronize(handle(index)), "cudaStreamSynchronize");
}

void CudaBackend::synchronizeEvent(int index) { check(cudaEventSynchronize(event(index)), "cudaEventSynchronize"); }

void CudaBackend::synchronizeDevice(int wanted) {
  for (int device = 0; device < devices_.count(); ++device) {
    if (wanted >= 0 && wanted != device) continue;
    const DeviceScope scope(devices_[device].ordinal);
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }
}

bool CudaBackend::queryStream(int index) {
  const DeviceScope scope(ordinalOf(index));
  return isDone(cudaStreamQuery(handle(index)), "cudaStreamQuery");
}

bool CudaBackend::queryEvent(int index) { return isDone(cudaEventQuery(event(index)), "cudaEventQuery"); }

double CudaBackend::elapsedNs(int start, int end) {
  float milliseconds = 0;
  const cudaError_t result = cudaEventElapsedTime(&milliseconds, event(start), event(end));
  if (result == cudaErrorNotReady || result == cudaErrorInvalidResourceHandle) {
    static_cast<void>(cudaGetLastError());
    throw eventNotComplete();
  }
  check(result, "cudaEventElapsedTime");
  return static_cast<double>(milliseconds) * 1e6;
}

// Recording

void CudaBackend::beginRecording() {
  try {
    recorder_->begin(counts_);
  } catch (const Failure& failure) {
    if (failure.code != "engine.cupti") throw;
    noteWithoutCupti(failure.message);
    timing_ = Timing::events;
    chooseRecorder();
    recorder_->begin(counts_);
  }
}

void CudaBackend::beginIteration(int iteration) {
  iteration_ = iteration;
  for (auto& operations : issued_) operations.clear();
  recorder_->beginIteration();
}

void CudaBackend::endIteration() {
  recorder_->endIteration(iteration_, issued_);
  hostFunctions_.addRows(iteration_, launches(), hostFunctionRows_);
}

void CudaBackend::endRecording(std::vector<DeviceRow>& rows) {
  rows.insert(rows.end(), hostFunctionRows_.begin(), hostFunctionRows_.end());
  recorder_->end(rows);
}

/// CUPTI's records would need a flush, which slows later work; events have been read already.
void CudaBackend::recordedSoFar(std::vector<DeviceRow>& rows) const {
  rows.insert(rows.end(), hostFunctionRows_.begin(), hostFunctionRows_.end());
  recorder_->recordedSoFar(rows);
}

void CudaBackend::interrupt() noexcept {
  volatile int* const flag = hostFlag_.load();
  if (flag != nullptr) *flag = 1;
}

const char* CudaBackend::timing() const { return recorder_->timing(); }

std::vector<std::string> CudaBackend::notes() const {
  std::vector<std::string> all = devices_.notes();
  all.insert(all.end(), notes_.begin(), notes_.end());
  const std::vector<std::string> recorded = recorder_->notes();
  all.insert(all.end(), recorded.begin(), recorded.end());
  return all;
}

}  // namespace copyscope
