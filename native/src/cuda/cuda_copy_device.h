// CUDA for the copy engine. Only if COPYSCOPE_WITH_CUDA is defined.
#pragma once

#include <memory>
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

/// Returns the number of CUDA devices; 0 without a driver.
int cudaDeviceCount() noexcept;

/// Throws Failure `copy.no-device` if there is none with this index.
std::unique_ptr<CopyDevice> makeCudaCopyDevice(int index);

/// Copies many pieces, of device memory or page-locked host memory, with one kernel. Asynchronous; returns the launch's
/// own error. A block copies one piece after another. `pieces` is page-locked host memory, of which each block reads its
/// entries over the link; they are relative to `source` and `target`.
cudaError_t launchPieces(cudaStream_t stream, const Piece* pieces, std::size_t count, const std::byte* source = nullptr,
                         std::byte* target = nullptr, std::size_t most = SIZE_MAX);

/// Number of blocks that fill a share of the multiprocessors.
std::size_t blocksIn(double share, int multiprocessors);

}  // namespace copyscope::copy
