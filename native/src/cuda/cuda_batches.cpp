#include "cuda/cuda_batches.h"

#include <cuda.h>

#include <vector>

#include "cuda/cuda_calls.h"

namespace copyscope {
namespace {

// Declared here, since toolkits before 12.8 lack them (cuda.h of 13.0).
struct Location {
  int type = 0;
  int id = 0;
};
struct Attributes {
  /// CU_MEMCPY_SRC_ACCESS_ORDER_STREAM: sources are read in stream order.
  int sourceOrder = 1;
  Location source;
  Location target;
  unsigned flags = 0;
};
using Batch = CUresult (*)(CUdeviceptr*, CUdeviceptr*, std::size_t*, std::size_t, Attributes*, std::size_t*,
                           std::size_t, std::size_t*, cudaStream_t);

Batch findBatch() {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  const cudaError_t result =
      cudaGetDriverEntryPointByVersion("cuMemcpyBatchAsync", &entry, 12080, cudaEnableDefault, &found);
  if (result != cudaSuccess) static_cast<void>(cudaGetLastError());
  return result == cudaSuccess && found == cudaDriverEntryPointSuccess ? reinterpret_cast<Batch>(entry) : nullptr;
}

Batch batch() {
  static const Batch found = findBatch();
  return found;
}

}  // namespace

bool hasBatches() { return batch() != nullptr; }

void requireBatches() {
  if (hasBatches()) return;
  throw Failure("engine.unsupported", "The driver has no cudaMemcpyBatchAsync.",
                "Install a driver for CUDA 12.8 or newer, or use the strategy \"kernel\" or \"loop\".");
}

void copyBatch(cudaStream_t stream, const copy::Piece* pieces, std::size_t count, const std::byte* source,
               std::byte* target) {
  requireBatches();
  // Kept, since allocating them would cost as much as a few blocks.
  thread_local std::vector<CUdeviceptr> from;
  thread_local std::vector<CUdeviceptr> to;
  thread_local std::vector<std::size_t> bytes;
  from.resize(count);
  to.resize(count);
  bytes.resize(count);
  for (std::size_t index = 0; index < count; ++index) {
    from[index] = reinterpret_cast<CUdeviceptr>(source) + reinterpret_cast<CUdeviceptr>(pieces[index].source);
    to[index] = reinterpret_cast<CUdeviceptr>(target) + reinterpret_cast<CUdeviceptr>(pieces[index].target);
    bytes[index] = pieces[index].bytes;
  }
  Attributes attributes;
  std::size_t first = 0;
  std::size_t failed = 0;
  const CUresult result =
      batch()(to.data(), from.data(), bytes.data(), count, &attributes, &first, 1, &failed, stream);
  // The numbers of both interfaces agree (driver_types.h).
  if (result != CUDA_SUCCESS) fail(static_cast<cudaError_t>(result), "cudaMemcpyBatchAsync");
}

}  // namespace copyscope
