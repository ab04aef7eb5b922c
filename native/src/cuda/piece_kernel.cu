#include "cuda/piece_kernel.h"

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

__global__ void __launch_bounds__(threads) pieceKernel(const Piece* pieces) {
  __shared__ const std::byte* source;
  __shared__ std::byte* target;
  __shared__ std::uint64_t bytes;
  if (threadIdx.x == 0) {
    const Piece& mine = pieces[blockIdx.x];
    source = mine.source;
    target = mine.target;
    bytes = mine.bytes;
  }
  __syncthreads();
  const auto places = reinterpret_cast<std::uintptr_t>(source) | reinterpret_cast<std::uintptr_t>(target);
  std::uint64_t done = 0;
  if (places % sizeof(uint4) == 0) {
    done = copyElements<uint4>(source, target, bytes);
  } else if (places % sizeof(std::uint32_t) == 0) {
    done = copyElements<std::uint32_t>(source, target, bytes);
  }
  copyElements<std::byte>(source + done, target + done, bytes - done);
}

}  // namespace

cudaError_t launchPieces(cudaStream_t stream, const Piece* pieces, std::size_t count) {
  if (count == 0) return cudaSuccess;
  pieceKernel<<<static_cast<unsigned>(count), threads, 0, stream>>>(pieces);
  return cudaGetLastError();
}

}  // namespace copyscope::copy
