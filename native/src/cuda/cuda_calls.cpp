#include "cuda/cuda_calls.h"

namespace copyscope {
namespace {

/// Returns true for errors after which the context can't be used any more.
bool losesContext(cudaError_t error) {
  switch (error) {
    case cudaErrorIllegalAddress:
    case cudaErrorIllegalInstruction:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorHardwareStackError:
    case cudaErrorECCUncorrectable:
    case cudaErrorAssert:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::string describe(cudaError_t error) {
  return std::string(cudaGetErrorName(error)) + " (" + cudaGetErrorString(error) + ")";
}

void fail(cudaError_t error, const char* call) {
  static_cast<void>(cudaGetLastError());
  const bool lost = losesContext(error);
  throw Failure(lost ? "engine.device-fault" : "engine.cuda", std::string(call) + " failed: " + describe(error) + ".",
                lost ? "The GPU's context is lost: the engine process must be started again." : "");
}

OwnedStream createStream(bool nonBlocking, int priority) {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithPriority(&stream, nonBlocking ? cudaStreamNonBlocking : cudaStreamDefault, priority),
        "cudaStreamCreateWithPriority");
  return OwnedStream(stream);
}

OwnedEvent createEvent(bool timing) {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, timing ? cudaEventDefault : cudaEventDisableTiming),
        "cudaEventCreateWithFlags");
  return OwnedEvent(event);
}

DeviceMemory allocateDevice(std::size_t bytes) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, bytes), "cudaMalloc");
  return DeviceMemory(memory);
}

PinnedMemory allocatePinned(std::size_t bytes, unsigned flags) {
  void* memory = nullptr;
  check(cudaHostAlloc(&memory, bytes, flags), "cudaHostAlloc");
  return PinnedMemory(memory);
}

HostRegistration registerHost(void* memory, std::size_t bytes) {
  check(cudaHostRegister(memory, bytes, cudaHostRegisterPortable | cudaHostRegisterMapped), "cudaHostRegister");
  return HostRegistration(memory);
}

DeviceMemory allocateManaged(std::size_t bytes) {
  void* memory = nullptr;
  check(cudaMallocManaged(&memory, bytes), "cudaMallocManaged");
  return DeviceMemory(memory);
}

#if CUDART_VERSION >= 13000
namespace {
cudaMemLocation locationOf(int place) {
  cudaMemLocation location{};
  location.type = place == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  location.id = place == cudaCpuDeviceId ? 0 : place;
  return location;
}
}  // namespace

cudaError_t prefetchManaged(const void* memory, std::size_t bytes, int place, cudaStream_t stream) {
  return cudaMemPrefetchAsync(memory, bytes, locationOf(place), 0, stream);
}

void adviseManaged(const void* memory, std::size_t bytes, cudaMemoryAdvise advice, int place) {
  check(cudaMemAdvise(memory, bytes, advice, locationOf(place)), "cudaMemAdvise");
}
#else
cudaError_t prefetchManaged(const void* memory, std::size_t bytes, int place, cudaStream_t stream) {
  return cudaMemPrefetchAsync(memory, bytes, place, stream);
}

void adviseManaged(const void* memory, std::size_t bytes, cudaMemoryAdvise advice, int place) {
  check(cudaMemAdvise(memory, bytes, advice, place), "cudaMemAdvise");
}
#endif

PinnedMemory allocateMapped(std::size_t bytes) {
  return allocatePinned(bytes, cudaHostAllocMapped | cudaHostAllocPortable);
}

void* addressOnDevice(const PinnedMemory& mapped) {
  void* address = nullptr;
  check(cudaHostGetDevicePointer(&address, mapped.get(), 0), "cudaHostGetDevicePointer");
  return address;
}

}  // namespace copyscope
