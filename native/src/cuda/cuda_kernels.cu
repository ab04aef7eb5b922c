#include "cuda/cuda_kernels.h"

#include <algorithm>
#include <cmath>

namespace copyscope {
namespace {

constexpr int blockThreads = 256;
/// Threads of a block that has a multiprocessor to itself.
constexpr int mostThreads = 1024;
/// Interval at which a running kernel checks for a stop, long enough not to affect times.
constexpr std::uint64_t lookEveryNs = 1000000;

__device__ std::uint64_t deviceTime() {
  std::uint64_t time;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
  return time;
}

__device__ std::uint64_t threadIndex() { return blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x; }
__device__ std::uint64_t threadCount() { return gridDim.x * static_cast<std::uint64_t>(blockDim.x); }

/// A read of host memory crosses the link, and reads of one address are serialised, about a microsecond each: one
/// thread reads it, and passes the result to the others.
__device__ bool isRequested(StopWords stop) {
  if (threadIndex() == 0 && *stop.onHost != 0) *stop.onDevice = 1;
  return *stop.onDevice != 0;
}

__global__ void __launch_bounds__(mostThreads) spinKernel(std::int64_t durationNs, StopWords stop) {
  const std::uint64_t start = deviceTime();
  const std::uint64_t duration = static_cast<std::uint64_t>(durationNs);
  std::uint64_t nextLook = lookEveryNs;
  for (std::uint64_t passed = 0; passed < duration; passed = deviceTime() - start) {
    if (passed < nextLook) continue;
    if (isRequested(stop)) return;
    nextLook = passed + lookEveryNs;
  }
}

__device__ uint4 multiplied(uint4 words) {
  return make_uint4(words.x * streamMultiplier, words.y * streamMultiplier, words.z * streamMultiplier,
                    words.w * streamMultiplier);
}

/// One pass. Loads and stores bypass the first-level cache, so that no pass is served from the one before it.
__device__ void streamPass(const std::uint32_t* source, std::uint32_t* target, std::uint64_t words) {
  const std::uint64_t quads = words / 4;
  const auto* from = reinterpret_cast<const uint4*>(source);
  auto* to = reinterpret_cast<uint4*>(target);
  for (std::uint64_t quad = threadIndex(); quad < quads; quad += threadCount()) {
    __stcg(to + quad, multiplied(__ldcg(from + quad)));
  }
  for (std::uint64_t word = quads * 4 + threadIndex(); word < words; word += threadCount()) {
    __stcg(target + word, __ldcg(source + word) * streamMultiplier);
  }
}

/// Each thread works on its own words in every pass, so the passes need no order between threads.
__global__ void __launch_bounds__(mostThreads)
    streamKernel(const std::uint32_t* source, std::uint32_t* target, std::uint64_t words, std::int64_t passes,
                 StopWords stop) {
  __shared__ int stopped;
  std::uint64_t lastLook = deviceTime();
  for (std::int64_t pass = 0; pass < passes; ++pass) {
    streamPass(pass == 0 ? source : target, target, words);
    // Separates the passes: one's stores are the next one's loads.
    asm volatile("" ::: "memory");
    if (threadIdx.x == 0) {
      const std::uint64_t now = deviceTime();
      const bool look = now - lastLook > lookEveryNs;
      if (look) lastLook = now;
      stopped = look && isRequested(stop) ? 1 : 0;
    }
    __syncthreads();
    if (stopped != 0) return;
    __syncthreads();
  }
}

/// Independent chains, enough to hide the latency of a multiply-add.
constexpr int chains = 8;
constexpr std::int64_t flopsPerRound = 2 * chains;

__global__ void __launch_bounds__(mostThreads)
    arithmeticKernel(std::int64_t rounds, StopWords stop, volatile float* sink) {
  constexpr std::int64_t roundsPerLook = 1 << 14;
  float values[chains];
  for (int chain = 0; chain < chains; ++chain) values[chain] = static_cast<float>(threadIdx.x + chain);
  for (std::int64_t done = 0; done < rounds; done += roundsPerLook) {
    const std::int64_t until = done + roundsPerLook < rounds ? done + roundsPerLook : rounds;
    for (std::int64_t round = done; round < until; ++round) {
#pragma unroll
      for (int chain = 0; chain < chains; ++chain) values[chain] = fmaf(values[chain], 0.999f, 0.001f);
    }
    // Each thread checks for itself, so that some may end a little earlier than others.
    if (isRequested(stop)) break;
  }
  float sum = 0;
  for (int chain = 0; chain < chains; ++chain) sum += values[chain];
  // Never true, but the compiler can't know that.
  if (sum == -1.0f) *sink = sum;
}

__global__ void fillKernel(std::uint8_t* target, std::uint64_t bytes, Content content) {
  // Buffers begin on a word of their pattern, and memory from cudaMalloc on a word boundary.
  auto* words = reinterpret_cast<std::uint32_t*>(target);
  for (std::uint64_t word = threadIndex(); word < bytes / 4; word += threadCount()) {
    words[word] = contentWord(content, word);
  }
  for (std::uint64_t at = bytes / 4 * 4 + threadIndex(); at < bytes; at += threadCount()) {
    target[at] = contentByte(content, at);
  }
}

__global__ void compareKernel(const std::uint8_t* data, std::uint64_t bytes, Content content,
                              DeviceComparison* result) {
  constexpr std::uint64_t run = 4;
  unsigned long long wrong = 0;
  unsigned long long first = ~0ull;
  for (std::uint64_t from = threadIndex() * run; from < bytes; from += threadCount() * run) {
    const std::uint64_t to = from + run < bytes ? from + run : bytes;
    for (std::uint64_t at = from; at < to; ++at) {
      if (data[at] == contentByte(content, at)) continue;
      ++wrong;
      if (at < first) first = at;
    }
  }
  if (wrong == 0) return;
  atomicAdd(&result->wrong, wrong);
  atomicMin(&result->firstWrong, first);
}

/// Returns blocks for `items` pieces of work, at least one and at most `most`.
int blocksFor(std::uint64_t items, int threads, int most) {
  const std::uint64_t wanted = (items + static_cast<std::uint64_t>(threads) - 1) / static_cast<std::uint64_t>(threads);
  return static_cast<int>(std::clamp<std::uint64_t>(wanted, 1, static_cast<std::uint64_t>(most)));
}

const void* const shapedKernels[] = {reinterpret_cast<const void*>(spinKernel),
                                     reinterpret_cast<const void*>(streamKernel),
                                     reinterpret_cast<const void*>(arithmeticKernel)};
const void* const otherKernels[] = {reinterpret_cast<const void*>(fillKernel),
                                    reinterpret_cast<const void*>(compareKernel)};

cudaError_t findMemoryLimits(KernelLimits* limits) {
  int device = 0;
  int ofMultiprocessor = 0;
  int ofBlock = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess) {
    error = cudaDeviceGetAttribute(&limits->multiprocessors, cudaDevAttrMultiProcessorCount, device);
  }
  if (error == cudaSuccess) {
    error = cudaDeviceGetAttribute(&ofMultiprocessor, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device);
  }
  if (error == cudaSuccess) {
    error = cudaDeviceGetAttribute(&ofBlock, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  }
  constexpr int staticBytes = 1024;
  limits->exclusiveBytes = static_cast<std::size_t>(std::min(ofMultiprocessor / 2 + 1024, ofBlock - staticBytes));
  return error;
}

}  // namespace

cudaError_t loadKernels(KernelLimits* limits) {
  cudaError_t error = findMemoryLimits(limits);
  if (error != cudaSuccess) return error;
  cudaFuncAttributes attributes;
  for (const void* kernel : otherKernels) {
    error = cudaFuncGetAttributes(&attributes, kernel);
    if (error != cudaSuccess) return error;
  }
  int least = 0;
  for (const void* kernel : shapedKernels) {
    int found = 0;
    error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 static_cast<int>(limits->exclusiveBytes));
    if (error == cudaSuccess) error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&found, kernel, blockThreads, 0);
    if (error != cudaSuccess) return error;
    least = least == 0 ? found : std::min(least, found);
  }
  limits->residentBlocks = std::max(1, least);
  return cudaSuccess;
}

KernelShape wholeDevice(const KernelLimits& limits) {
  return {limits.multiprocessors * limits.residentBlocks, blockThreads, 0};
}

KernelShape shapeFor(const KernelLimits& limits, double share) {
  if (share >= 1) return wholeDevice(limits);
  return {std::max(1, static_cast<int>(std::ceil(share * limits.multiprocessors))), mostThreads,
          limits.exclusiveBytes};
}

KernelShape oneThread() { return {1, 1, 0}; }

cudaError_t launchSpin(cudaStream_t stream, std::int64_t durationNs, const KernelShape& shape, StopWords stop) {
  spinKernel<<<shape.blocks, shape.threads, shape.sharedBytes, stream>>>(durationNs, stop);
  return cudaGetLastError();
}

cudaError_t launchArithmetic(cudaStream_t stream, std::int64_t flops, const KernelShape& shape, StopWords stop) {
  const std::int64_t perRound = flopsPerRound * shape.threads * shape.blocks;
  const std::int64_t rounds = (flops + perRound - 1) / perRound;
  arithmeticKernel<<<shape.blocks, shape.threads, shape.sharedBytes, stream>>>(rounds, stop, nullptr);
  return cudaGetLastError();
}

cudaError_t launchStream(cudaStream_t stream, const void* source, void* target, std::uint64_t bytes,
                         std::int64_t passes, KernelShape shape, StopWords stop) {
  shape.blocks = blocksFor(bytes / 16, shape.threads, shape.blocks);
  streamKernel<<<shape.blocks, shape.threads, shape.sharedBytes, stream>>>(
      static_cast<const std::uint32_t*>(source), static_cast<std::uint32_t*>(target), bytes / 4, passes, stop);
  return cudaGetLastError();
}

cudaError_t launchFill(cudaStream_t stream, void* target, std::uint64_t bytes, Content content, int blocks) {
  auto* const first = static_cast<std::uint8_t*>(target);
  fillKernel<<<blocksFor(bytes / 4, blockThreads, blocks), blockThreads, 0, stream>>>(first, bytes, content);
  return cudaGetLastError();
}

cudaError_t launchCompare(cudaStream_t stream, const void* data, std::uint64_t bytes, Content content, int blocks,
                          DeviceComparison* result) {
  const auto* const first = static_cast<const std::uint8_t*>(data);
  compareKernel<<<blocksFor(bytes / 4, blockThreads, blocks), blockThreads, 0, stream>>>(first, bytes, content, result);
  return cudaGetLastError();
}

}  // namespace copyscope
