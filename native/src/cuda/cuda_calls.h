// CUDA calls that throw, and the one owner of CUDA's handles.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

#include "executor/failure.h"

namespace copyscope {

/// Returns 'cudaErrorX (its meaning)'.
std::string describe(cudaError_t error);

/// Throws a Failure with CUDA's error name and message: `engine.device-fault` if the context is lost, `engine.cuda`
/// otherwise. The executor adds the operation.
[[noreturn]] void fail(cudaError_t error, const char* call);

/// Throws it if a call failed.
inline void check(cudaError_t error, const char* call) {
  if (error != cudaSuccess) fail(error, call);
}

/// Owns a handle, and releases it on destruction. Movable, not copyable. Made by the named functions below.
template <typename Handle, cudaError_t (*release)(Handle)>
class Owned {
 public:
  Owned() = default;
  explicit Owned(Handle handle) : handle_(handle) {}
  Owned(Owned&& other) noexcept : handle_(other.handle_) { other.handle_ = nullptr; }
  Owned& operator=(Owned&& other) noexcept {
    if (this != &other) {
      reset();
      handle_ = other.handle_;
      other.handle_ = nullptr;
    }
    return *this;
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() { reset(); }

  Handle get() const { return handle_; }

 private:
  // A failing release repeats an error that an earlier call has reported.
  void reset() noexcept {
    if (handle_ != nullptr) static_cast<void>(release(handle_));
    handle_ = nullptr;
  }

  Handle handle_ = nullptr;
};

using OwnedStream = Owned<cudaStream_t, cudaStreamDestroy>;
using OwnedEvent = Owned<cudaEvent_t, cudaEventDestroy>;
using DeviceMemory = Owned<void*, cudaFree>;
using PinnedMemory = Owned<void*, cudaFreeHost>;
using HostRegistration = Owned<void*, cudaHostUnregister>;
using OwnedGraph = Owned<cudaGraph_t, cudaGraphDestroy>;
using OwnedGraphExec = Owned<cudaGraphExec_t, cudaGraphExecDestroy>;

/// `priority` is CUDA's: lower is more urgent, and values outside the device's range are clamped.
OwnedStream createStream(bool nonBlocking, int priority = 0);
OwnedEvent createEvent(bool timing);
DeviceMemory allocateDevice(std::size_t bytes);
/// Allocates page-locked memory; `flags` are those of cudaHostAlloc.
PinnedMemory allocatePinned(std::size_t bytes, unsigned flags = cudaHostAllocPortable);
/// Page-locks existing memory.
HostRegistration registerHost(void* memory, std::size_t bytes);
/// Allocates memory whose pages move between host and device.
DeviceMemory allocateManaged(std::size_t bytes);
/// `place` is a device, or cudaCpuDeviceId for the host.
cudaError_t prefetchManaged(const void* memory, std::size_t bytes, int place, cudaStream_t stream);
void adviseManaged(const void* memory, std::size_t bytes, cudaMemoryAdvise advice, int place);
/// Allocates page-locked memory that the device reads and writes in place.
PinnedMemory allocateMapped(std::size_t bytes);
/// Returns its address on the device.
void* addressOnDevice(const PinnedMemory& mapped);

}  // namespace copyscope
