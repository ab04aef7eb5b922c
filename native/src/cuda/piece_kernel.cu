#include "cuda/cuda_copy_device.h"

#include <algorithm>
#include <cmath>

namespace copyscope::copy {
namespace {

constexpr int threads = 256;

/// Copies whole elements. Returns the bytes copied.
template <typename Element>
__device__ std::uint64_t copyElements(const std::byte* source, std::byte* target, std::uint64_t bytes) {
  const std::uint64_t count = bytes / sizeof(Element);
  const auto* from = reinterpret_cast<const Element*>(source);
  auto* to = reinterpret_cast<Element*>(target);
  for (std::uint64_t index = threadIdx.x; index < count; index += blockDim.x) to[index] = from[index];
  return count * sizeof(Element);
}

__device__ void copyPiece(const std::byte* source, std::byte* target, std::uint64_t bytes) {
  const auto places = reinterpret_cast<std::uintptr_t>(source) | reinterpret_cast<std::uintptr_t>(target);
  std::uint64_t done = 0;
  if (places % sizeof(uint4) == 0) {
    done = copyElements<uint4>(source, target, bytes);
  } else if (places % sizeof(std::uint32_t) == 0) {
    done = copyElements<std::uint32_t>(source, target, bytes);
  }
  copyElements<std::byte>(source + done, target + done, bytes - done);
}

__global__ void __launch_bounds__(threads)
    pieceKernel(const Piece* pieces, std::uint64_t count, const std::byte* source, std::byte* target) {
  __shared__ std::uintptr_t from;
  __shared__ std::uintptr_t to;
  __shared__ std::uint64_t bytes;
  for (std::uint64_t index = blockIdx.x; index < count; index += gridDim.x) {
    if (threadIdx.x == 0) {
      const Piece& mine = pieces[index];
      from = reinterpret_cast<std::uintptr_t>(mine.source);
      to = reinterpret_cast<std::uintptr_t>(mine.target);
      bytes = mine.bytes;
    }
    __syncthreads();
    copyPiece(source + from, target + to, bytes);
    __syncthreads();
  }
}

}  // namespace

cudaError_t launchPieces(cudaStream_t stream, const Piece* pieces, std::size_t count, const std::byte* source,
                         std::byte* target, std::size_t most) {
  if (count == 0) return cudaSuccess;
  pieceKernel<<<static_cast<unsigned>(std::min(count, most)), threads, 0, stream>>>(pieces, count, source, target);
  return cudaGetLastError();
}

std::size_t blocksIn(double share, int multiprocessors) {
  constexpr double blocksOfMultiprocessor = 2048.0 / threads;
  return share >= 1 ? SIZE_MAX : static_cast<std::size_t>(std::ceil(share * multiprocessors) * blocksOfMultiprocessor);
}

}  // namespace copyscope::copy
