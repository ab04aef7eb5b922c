// cudaMemcpyBatchAsync, which the driver has since CUDA 12.8; it is looked up at run time.
#pragma once

#include <cuda_runtime_api.h>

#include "copy/copy_device.h"

namespace copyscope {

bool hasBatches();
/// Throws a Failure `engine.unsupported` if the driver has no such call.
void requireBatches();
/// Copies all pieces, which are relative to both addresses, in one call. Throws a Failure.
void copyBatch(cudaStream_t stream, const copy::Piece* pieces, std::size_t count, const std::byte* source,
               std::byte* target);

}  // namespace copyscope
