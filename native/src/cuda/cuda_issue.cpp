// Issues the host threads' work to CUDA's streams.
#include "cuda/cuda_backend.h"
#include "cuda/cuda_batches.h"
#include "cuda/cuda_copy_device.h"

// cudaMemcpy in this thread's own default stream. The header declares it only to sources that always use that stream.
extern "C" cudaError_t CUDARTAPI cudaMemcpy_ptds(void* target, const void* source, size_t bytes, cudaMemcpyKind kind);

namespace copyscope {
namespace {

cudaMemcpyKind kindOf(bool fromDevice, bool toDevice) {
  static_assert(cudaMemcpyHostToHost == 0 && cudaMemcpyHostToDevice == 1 && cudaMemcpyDeviceToHost == 2 &&
                cudaMemcpyDeviceToDevice == 3);
  return static_cast<cudaMemcpyKind>((fromDevice ? 2 : 0) + (toDevice ? 1 : 0));
}

/// Copies rows of one size, each as far from the one before as the second from the first.
cudaError_t copyRows(cudaStream_t stream, const CopyPart& part) {
  const copy::Piece& first = part.pieces[0];
  const copy::Piece& second = part.pieces[part.pieceCount > 1 ? 1 : 0];
  const auto placeOf = [](const std::byte* address) { return reinterpret_cast<std::uintptr_t>(address); };
  const auto pitchOf = [&](const std::byte* row, const std::byte* next) {
    return next == row ? first.bytes : placeOf(next) - placeOf(row);
  };
  return cudaMemcpy2DAsync(part.target + placeOf(first.target), pitchOf(first.target, second.target),
                           part.source + placeOf(first.source), pitchOf(first.source, second.source), first.bytes,
                           part.pieceCount, cudaMemcpyDefault, stream);
}

const char* nameOf(const Instruction& instruction) {
  switch (instruction.code) {
    case Code::copy:
      return instruction.blocking ? "cudaMemcpy" : "cudaMemcpyAsync";
    case Code::item:
      return "cudaMemcpyAsync";
    case Code::memset:
      return "cudaMemsetAsync";
    case Code::prefetch:
      return "cudaMemPrefetchAsync";
    case Code::recordEvent:
      return "cudaEventRecord";
    case Code::waitEvent:
      return "cudaStreamWaitEvent";
    default:
      return "cudaLaunchKernel";
  }
}

}  // namespace

void CudaBackend::issue(const Instruction& instruction, std::int32_t correlation) {
  if (correlation != 0 || !issuePlainCopy(instruction)) issueAny(instruction, correlation);
}

/// Issues the most common operation in separate, short code, since the driver's call evicts this code from the
/// processor's first cache. Returns false if it is not an asynchronous copy between buffers that existed before the
/// run.
bool CudaBackend::issuePlainCopy(const Instruction& instruction) {
  if (instruction.code != Code::copy || instruction.blocking || graphs_->any()) return false;
  const Place from = place(instruction.src);
  const Place to = place(instruction.dst);
  const bool isPeer = from.device >= 0 && to.device >= 0 && from.device != to.device;
  if (from.address == nullptr || to.address == nullptr || isPeer) return false;
  const DeviceScope scope(ordinalOf(instruction.stream));
  check(cudaMemcpyAsync(to.address + instruction.dstOffset, from.address + instruction.srcOffset, instruction.bytes,
                        kindOf(from.device >= 0, to.device >= 0), handle(instruction.stream)),
        "cudaMemcpyAsync");
  return true;
}

void CudaBackend::issueAny(const Instruction& instruction, std::int32_t correlation) {
  const DeviceScope scope(ordinalOf(instruction.stream));
  if (instruction.code == Code::copy) {
    noteUse(instruction.src, instruction.stream);
    noteUse(instruction.dst, instruction.stream);
  }
  if (!graphs_->any()) return put(instruction, correlation);
  if (instruction.code == Code::recordEvent) graphs_->noteRecord(instruction.event, instruction.stream);
  if (instruction.code == Code::waitEvent) graphs_->noteWait(instruction.event, instruction.stream);
  const std::shared_ptr<CapturedGraph> capture = graphs_->captureOf(instruction.stream);
  if (capture == nullptr) return put(instruction, correlation);
  graphs_->add(*capture, instruction, libraries_->recordsOf(instruction));
  call(instruction, 0, capture);
}

/// Marks leave no records on the device, so they are not noted.
void CudaBackend::put(const Instruction& instruction, std::int32_t correlation) {
  if (instruction.code == Code::launchGraph) return launchGraph(instruction, correlation);
  const bool noted = correlation != 0 && isDeviceWork(instruction.code);
  if (noted) return record(instruction, correlation);
  call(instruction, correlation, nullptr);
}

template <typename Call>
void CudaBackend::noted(const Instruction& instruction, std::int32_t correlation, const Call& call) {
  const std::unique_lock<std::mutex> lock = lockStream(instruction.stream);
  std::vector<Issued>& issued = issued_[static_cast<std::size_t>(instruction.stream)];
  const std::size_t position = issued.size();
  recorder_->before(instruction.stream, position);
  call();
  recorder_->after(instruction.stream, position);
  issued.push_back({&instruction, correlation, nullptr, 0, libraries_->recordsOf(instruction)});
}

void CudaBackend::record(const Instruction& instruction, std::int32_t correlation) {
  noted(instruction, correlation, [&] { call(instruction, correlation, nullptr); });
}

void CudaBackend::issuePart(const CopyPart& part, std::int32_t correlation) {
  const DeviceScope scope(ordinalOf(part.stream));
  const cudaStream_t to = handle(part.stream);
  const auto make = [&] {
    if (part.isBatch) return copyBatch(to, part.pieces, part.pieceCount, part.source, part.target);
    if (part.isPitched) return check(copyRows(to, part), "cudaMemcpy2DAsync");
    if (part.pieces != nullptr) {
      const std::size_t most = copy::blocksIn(part.share, deviceOf(part.stream).limits.multiprocessors);
      return check(copy::launchPieces(to, part.pieces, part.pieceCount, part.source, part.target, most),
                   "cudaLaunchKernel");
    }
    check(cudaMemcpyAsync(part.target, part.source, part.bytes, cudaMemcpyDefault, to), "cudaMemcpyAsync");
  };
  if (correlation == 0) return make();
  noted(parts_.of(part), correlation, make);
}

void CudaBackend::launchGraph(const Instruction& instruction, std::int32_t correlation) {
  const std::unique_lock<std::mutex> lock = lockStream(instruction.stream);
  Issued launched = graphs_->launch(instruction, handle(instruction.stream));
  launched.correlation = correlation;
  if (correlation != 0) issued_[static_cast<std::size_t>(instruction.stream)].push_back(std::move(launched));
}

std::unique_lock<std::mutex> CudaBackend::lockStream(int index) {
  const auto& mutex = streamMutexes_[static_cast<std::size_t>(index)];
  return mutex == nullptr ? std::unique_lock<std::mutex>() : std::unique_lock<std::mutex>(*mutex);
}

void CudaBackend::call(const Instruction& instruction, std::int32_t correlation,
                       std::shared_ptr<const CapturedGraph> capture) {
  const cudaStream_t to = handle(instruction.stream);
  const auto make = [&]() -> cudaError_t {
    switch (instruction.code) {
      case Code::copy:
        return copy(instruction);
      case Code::item: {
        // One per host thread, since only the copy reads it.
        static thread_local std::uint32_t scalar = 0;
        const std::byte* const source = at(instruction.src, instruction.srcOffset);
        return cudaMemcpyAsync(&scalar, source, instruction.bytes, cudaMemcpyDefault, to);
      }
      case Code::memset:
        return cudaMemsetAsync(at(instruction.dst, instruction.dstOffset), static_cast<int>(instruction.amount),
                               instruction.bytes, to);
      case Code::prefetch: {
        const int place = instruction.amount == 1 ? ordinalOf(instruction.stream) : cudaCpuDeviceId;
        return prefetchManaged(at(instruction.src, instruction.srcOffset), instruction.bytes, place, to);
      }
      case Code::recordEvent:
        return cudaEventRecord(event(instruction.event), to);
      case Code::waitEvent:
        return cudaStreamWaitEvent(to, event(instruction.event), 0);
      case Code::matmul: {
        const std::int32_t other = libraryCallOf(*program_, instruction).other;
        libraries_->multiply(instruction, at(instruction.src, 0), at(other, 0), at(instruction.dst, 0));
        return cudaSuccess;
      }
      case Code::fft:
        libraries_->transform(instruction, at(instruction.src, 0), at(instruction.dst, 0));
        return cudaSuccess;
      default:
        return launchKernel(instruction);
    }
  };
  if (instruction.code == Code::hostFunction) {
    return hostFunctions_.launch(instruction, correlation, to, std::move(capture));
  }
  const cudaError_t result = make();
  if (result != cudaSuccess) fail(result, nameOf(instruction));
}

cudaError_t CudaBackend::copy(const Instruction& instruction) {
  const std::int32_t from = place(instruction.src).device;
  const std::int32_t to = place(instruction.dst).device;
  std::byte* const target = at(instruction.dst, instruction.dstOffset);
  const std::byte* const source = at(instruction.src, instruction.srcOffset);
  const auto bytes = static_cast<std::size_t>(instruction.bytes);
  const cudaMemcpyKind kind = kindOf(from >= 0, to >= 0);
  if (instruction.blocking) {
    return stream(instruction.stream).kind == StreamKind::perThreadDefault
               ? cudaMemcpy_ptds(target, source, bytes, kind)
               : cudaMemcpy(target, source, bytes, kind);
  }
  if (from >= 0 && to >= 0 && from != to) {
    return cudaMemcpyPeerAsync(target, devices_[to].ordinal, source, devices_[from].ordinal, bytes,
                               handle(instruction.stream));
  }
  return cudaMemcpyAsync(target, source, bytes, kind, handle(instruction.stream));
}

/// A spin without a share leaves the device free: it uses one thread.
cudaError_t CudaBackend::launchKernel(const Instruction& instruction) {
  const CudaDevice& device = deviceOf(instruction.stream);
  const KernelShape shape = shapeFor(device.limits, instruction.share);
  const StopWords stop{deviceFlag_, static_cast<volatile int*>(device.stopWord.get())};
  const cudaStream_t to = handle(instruction.stream);
  switch (instruction.code) {
    case Code::spin:
      return launchSpin(to, instruction.amount, instruction.share < 1 ? shape : oneThread(), stop);
    case Code::arithmetic:
      return launchArithmetic(to, instruction.amount, shape, stop);
    default:
      // Mapped memory has the same address on the device (unified virtual addressing).
      return launchStream(to, at(instruction.src, 0), at(instruction.dst, 0), instruction.bytes, instruction.amount,
                          shape, stop);
  }
}

// Graphs

void CudaBackend::beginCapture(const Instruction& instruction) {
  const DeviceScope scope(ordinalOf(instruction.stream));
  graphs_->begin(instruction, handle(instruction.stream));
}

void CudaBackend::endCapture(const Instruction& instruction) {
  const DeviceScope scope(ordinalOf(instruction.stream));
  graphs_->end(instruction, handle(instruction.stream));
}

void CudaBackend::instantiate(const Instruction& instruction) {
  const DeviceScope scope(ordinalOf(instruction.stream));
  graphs_->instantiate(instruction);
}

void CudaBackend::upload(const Instruction& instruction) {
  const DeviceScope scope(ordinalOf(instruction.stream));
  graphs_->upload(instruction, handle(instruction.stream));
}

std::vector<GraphLaunch> CudaBackend::launches() const { return launchesIn(issued_); }

}  // namespace copyscope
