// The kernel that copies many pieces at once, of device memory or page-locked host memory.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "copy/copy_device.h"

namespace copyscope::copy {

/// Asynchronous; returns the launch's own error. A block copies one piece after another. `pieces` is page-locked host
/// memory, of which each block reads its entries over the link; they are relative to `source` and `target`.
cudaError_t launchPieces(cudaStream_t stream, const Piece* pieces, std::size_t count, const std::byte* source = nullptr,
                         std::byte* target = nullptr, std::size_t most = SIZE_MAX);

/// Number of blocks that fill a share of the multiprocessors.
std::size_t blocksIn(double share, int multiprocessors);

}  // namespace copyscope::copy
