// The kernel that copies many small pieces of device memory at once.
#pragma once

#include <cuda_runtime_api.h>

#include "copy/copy_device.h"

namespace copyscope::copy {

/// Asynchronous; returns the launch's own error. A block copies one piece. `pieces` is page-locked host memory, of
/// which each block reads its entry over the link.
cudaError_t launchPieces(cudaStream_t stream, const Piece* pieces, std::size_t count);

}  // namespace copyscope::copy
