// CUDA's streams and events for the copy engine.
#pragma once

#include <utility>

#include "copy/copy_device.h"
#include "cuda/cuda_calls.h"

namespace copyscope::copy {

class CudaCopyStream final : public CopyStream {
 public:
  explicit CudaCopyStream(OwnedStream owned) : owned_(std::move(owned)), handle_(owned_.get()) {}
  /// Wraps a stream with another owner, or one of CUDA's default streams.
  explicit CudaCopyStream(cudaStream_t handle) : handle_(handle) {}
  cudaStream_t handle() const { return handle_; }

 private:
  const OwnedStream owned_;
  const cudaStream_t handle_;
};

class CudaCopyEvent final : public CopyEvent {
 public:
  explicit CudaCopyEvent(OwnedEvent owned) : owned_(std::move(owned)) {}
  cudaEvent_t handle() const { return owned_.get(); }

 private:
  const OwnedEvent owned_;
};

}  // namespace copyscope::copy
