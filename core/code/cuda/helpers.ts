/** Helpers for CUDA programs, in order of output. A program contains only those that it uses. */

export const cudaHelpers = {
  KiB: 'constexpr size_t KiB = 1024;',
  MiB: 'constexpr size_t MiB = 1024 * 1024;',
  GiB: 'constexpr size_t GiB = 1024 * 1024 * 1024;',

  check: `#define CHECK(call)                                                                       \\
  do {                                                                                    \\
    const cudaError_t error = (call);                                                     \\
    if (error != cudaSuccess) {                                                           \\
      std::fprintf(stderr, "line %d: %s\\n", __LINE__, cudaGetErrorString(error));         \\
      std::exit(1);                                                                       \\
    }                                                                                     \\
  } while (false)`,

  checkLibrary: `#define CHECK_LIBRARY(call)                                                               \\
  do {                                                                                    \\
    const int status = static_cast<int>(call);                                            \\
    if (status != 0) {                                                                    \\
      std::fprintf(stderr, "line %d: %s gave %d\\n", __LINE__, #call, status);              \\
      std::exit(1);                                                                       \\
    }                                                                                     \\
  } while (false)`,

  memcpyPerThread: `// cudaMemcpy in the host thread's own default stream. CUDA declares it only where all calls mean that.
extern "C" cudaError_t CUDARTAPI cudaMemcpy_ptds(void *target, const void *source, size_t bytes, cudaMemcpyKind kind);`,

  readAll: `// Reads every byte, whatever it is.
void readAll(const void *memory, size_t bytes) {
  const auto *from = static_cast<const volatile uint8_t *>(memory);
  for (size_t at = 0; at < bytes; ++at) (void)from[at];
}`,

  hostWork: `// Keeps a host thread busy.
void work(int64_t ns) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::nanoseconds(ns);
  while (std::chrono::steady_clock::now() < until) {
  }
}`,

  hostFunction: `void CUDART_CB workOfStream(void *ns) { work(static_cast<int64_t>(reinterpret_cast<intptr_t>(ns))); }`,

  gate: `// Lets all host threads begin at once.
class Gate {
 public:
  void pass() {
    ++waiting_;
    while (!isOpen_) std::this_thread::yield();
  }

  void open(int threads) {
    while (waiting_ < threads) std::this_thread::yield();
    isOpen_ = true;
  }

 private:
  std::atomic<int> waiting_{0};
  std::atomic<bool> isOpen_{false};
};`,

  signal: `// A counting signal between host threads; set() waits while \`capacity\` are pending.
class Signal {
 public:
  explicit Signal(long capacity) : capacity_(capacity) {}

  void set() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return pending_ < capacity_; });
    ++pending_;
    changed_.notify_all();
  }

  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return pending_ > 0; });
    --pending_;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  const long capacity_;
  long pending_ = 0;
};`,

  spin: `// Busy for a duration.
__global__ void __launch_bounds__(1024) spin(int64_t ns) {
  uint64_t start, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
  do {
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  } while (now - start < static_cast<uint64_t>(ns));
}`,

  multiply: `// Passes over 32-bit words: the first from source to target, each later one over the target.
__global__ void __launch_bounds__(1024)
    multiply(void *target, const void *source, size_t words, int passes, uint32_t factor = 1664525) {
  const size_t step = gridDim.x * static_cast<size_t>(blockDim.x);
  const size_t first = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
  for (int pass = 0; pass < passes; ++pass) {
    const auto *from = static_cast<const uint32_t *>(pass == 0 ? source : target);
    auto *to = static_cast<uint32_t *>(target);
    for (size_t at = first; at < words / 4; at += step) {
      const uint4 four = __ldcg(reinterpret_cast<const uint4 *>(from) + at);
      __stcg(reinterpret_cast<uint4 *>(to) + at,
             make_uint4(four.x * factor, four.y * factor, four.z * factor, four.w * factor));
    }
    for (size_t at = words / 4 * 4 + first; at < words; at += step) __stcg(to + at, __ldcg(from + at) * factor);
    asm volatile("" ::: "memory");
  }
}`,

  arithmetic: `// Multiply-adds in eight independent chains: 16 operations a round.
__global__ void __launch_bounds__(1024) arithmetic(int64_t rounds, volatile float *sink) {
  float values[8];
  for (int chain = 0; chain < 8; ++chain) values[chain] = static_cast<float>(threadIdx.x + chain);
  for (int64_t round = 0; round < rounds; ++round) {
#pragma unroll
    for (int chain = 0; chain < 8; ++chain) values[chain] = fmaf(values[chain], 0.999f, 0.001f);
  }
  float sum = 0;
  for (int chain = 0; chain < 8; ++chain) sum += values[chain];
  if (sum == -1.0f) *sink = sum;  // never, but the compiler can't know
}

int64_t roundsFor(double flops, int blocks, int threads) {
  return static_cast<int64_t>(flops / 16 / blocks / threads) + 1;
}`,

  wholeDevice: `// Blocks of 256 threads that fill the device.
int blocksOfDevice(const void *kernel) {
  int device, multiprocessors, blocks;
  CHECK(cudaGetDevice(&device));
  CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 256, 0));
  return multiprocessors * blocks;
}`,

  partOfDevice: `// Number of blocks for a share of the device: one per multiprocessor.
int blocksFor(double share) {
  int device, multiprocessors;
  CHECK(cudaGetDevice(&device));
  CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  return std::max(1, static_cast<int>(std::ceil(share * multiprocessors)));
}

// Shared memory that gives each block a multiprocessor to itself. It must be set on each device.
int exclusive(const void *kernel) {
  int device, ofMultiprocessor, ofBlock;
  CHECK(cudaGetDevice(&device));
  CHECK(cudaDeviceGetAttribute(&ofMultiprocessor, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device));
  CHECK(cudaDeviceGetAttribute(&ofBlock, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  const int bytes = std::min(ofMultiprocessor / 2 + 1024, ofBlock - 1024);
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  return bytes;
}`,

  cublas: `// cuBLAS for one stream, with a work space of its own.
struct Cublas {
  cublasHandle_t handle = nullptr;
  void *workspace = nullptr;

  void make(cudaStream_t stream) {
    if (handle != nullptr) return;
    constexpr size_t bytes = 32 << 20;
    CHECK_LIBRARY(cublasCreate(&handle));
    CHECK_LIBRARY(cublasSetStream(handle, stream));
    CHECK(cudaMalloc(&workspace, bytes));
    CHECK_LIBRARY(cublasSetWorkspace(handle, workspace, bytes));
  }

  void drop() {
    if (handle != nullptr) CHECK_LIBRARY(cublasDestroy(handle));
    CHECK(cudaFree(workspace));
    *this = {};
  }

  // product (m by n) = first (m by k) times second (k by n). cuBLAS counts by columns, so the factors change places.
  void multiply(void *product, const void *first, const void *second, int m, int n, int k, cudaDataType type,
                cublasComputeType_t compute = CUBLAS_COMPUTE_32F) {
    const float one = 1, zero = 0;
    CHECK_LIBRARY(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, second, type, n, first, type, k, &zero,
                               product, type, n, compute, CUBLAS_GEMM_DEFAULT));
  }
};`,

  cufft: `// A plan of cuFFT for one stream: \`batch\` transforms of \`size\` complex numbers.
struct Cufft {
  cufftHandle plan = 0;
  bool isMade = false;

  void make(cudaStream_t stream, int size, int batch) {
    if (isMade) return;
    isMade = true;
    size_t bytes = 0;
    CHECK_LIBRARY(cufftCreate(&plan));
    CHECK_LIBRARY(cufftMakePlanMany(plan, 1, &size, nullptr, 1, size, nullptr, 1, size, CUFFT_C2C, batch, &bytes));
    CHECK_LIBRARY(cufftSetStream(plan, stream));
  }

  void drop() {
    if (isMade) CHECK_LIBRARY(cufftDestroy(plan));
    *this = {};
  }

  void transform(void *output, void *input) {
    CHECK_LIBRARY(
        cufftExecC2C(plan, static_cast<cufftComplex *>(input), static_cast<cufftComplex *>(output), CUFFT_FORWARD));
  }
};`,

  endCapture: `void endCapture(cudaStream_t stream, cudaGraphExec_t *graph) {
  cudaGraph_t captured;
  CHECK(cudaStreamEndCapture(stream, &captured));
  if (*graph != nullptr) CHECK(cudaGraphExecDestroy(*graph));
  CHECK(cudaGraphInstantiate(graph, captured, 0));
  CHECK(cudaGraphUpload(*graph, stream));
  CHECK(cudaGraphDestroy(captured));
}`,

  isDone: `// Whether what was queried has completed.
bool isDone(cudaError_t answer) {
  if (answer == cudaErrorNotReady) {
    (void)cudaGetLastError();
    return false;
  }
  CHECK(answer);
  return true;
}`,

  tensors: `// Tensors to be copied: those on one side lie apart, those on the other one behind another, as does the staging memory.
struct Tensors {
  struct Tensor {
    uint8_t *from, *to, *stage;
    size_t bytes;
  };
  std::vector<Tensor> all;
  uint8_t *stage = nullptr, *to = nullptr;
};

enum class Memory { pageable, pinned, device };

uint8_t *allocate(Memory memory, size_t bytes) {
  void *found = nullptr;
  if (memory == Memory::pageable) found = std::malloc(bytes);
  if (memory == Memory::pinned) CHECK(cudaMallocHost(&found, bytes));
  if (memory == Memory::device) CHECK(cudaMalloc(&found, bytes));
  return static_cast<uint8_t *>(found);
}

// \`each\`: bytes of the tensors in turn, repeated to \`count\` of them.
Tensors makeTensors(const std::vector<size_t> &each, size_t count, Memory from, Memory to) {
  Tensors tensors;
  size_t total = 0;
  for (size_t i = 0; i < count; ++i) total += each[i % each.size()];
  tensors.to = allocate(to, total);
  tensors.stage = allocate(Memory::pinned, total);
  size_t at = 0;
  for (size_t i = 0; i < count; at += each[i % each.size()], ++i) {
    const size_t bytes = each[i % each.size()];
    tensors.all.push_back({allocate(from, bytes), tensors.to + at, tensors.stage + at, bytes});
    if (from == Memory::device) CHECK(cudaMemset(tensors.all.back().from, 1, bytes));
    else std::memset(tensors.all.back().from, 1, bytes);
  }
  return tensors;
}`,

  inThreads: `// Calls \`each\` for every tensor, from several threads.
template <typename Each>
void inThreads(int count, const Tensors &tensors, Each each) {
  int device;
  CHECK(cudaGetDevice(&device));
  std::atomic<size_t> next{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&] {
      CHECK(cudaSetDevice(device));
      for (size_t at = next++; at < tensors.all.size(); at = next++) each(tensors.all[at]);
    });
  }
  for (auto &thread : threads) thread.join();
}`,

  blockTable: `struct Block {
  size_t from, to, bytes;
};

// Page-locked, so that kernels read it too.
template <typename Make>
Block *blockTable(size_t count, Make make) {
  void *found = nullptr;
  CHECK(cudaMallocHost(&found, count * sizeof(Block)));
  auto *blocks = static_cast<Block *>(found);
  for (size_t i = 0; i < count; ++i) blocks[i] = make(i);
  return blocks;
}`,

  packBlocks: `// The host copies blocks one after another.
void packBlocks(uint8_t *target, const uint8_t *source, const Block *blocks, size_t count) {
  for (size_t i = 0; i < count; ++i) std::memcpy(target + blocks[i].to, source + blocks[i].from, blocks[i].bytes);
}`,

  loopBlocks: `// A copy for each block.
void copyEach(uint8_t *target, const uint8_t *source, const Block *blocks, size_t count, cudaStream_t stream) {
  for (size_t i = 0; i < count; ++i) {
    CHECK(cudaMemcpyAsync(target + blocks[i].to, source + blocks[i].from, blocks[i].bytes, cudaMemcpyDefault, stream));
  }
}`,

  batchBlocks: `// One call for all blocks (CUDA 12.8 or newer).
void copyBatch(uint8_t *target, const uint8_t *source, const Block *blocks, size_t count, cudaStream_t stream) {
  std::vector<void *> to(count), from(count);
  std::vector<size_t> bytes(count);
  for (size_t i = 0; i < count; ++i) {
    to[i] = target + blocks[i].to;
    from[i] = const_cast<uint8_t *>(source) + blocks[i].from;
    bytes[i] = blocks[i].bytes;
  }
  cudaMemcpyAttributes attributes = {};
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  size_t first = 0;
#if CUDART_VERSION >= 13000
  CHECK(cudaMemcpyBatchAsync(const_cast<const void **>(to.data()), const_cast<const void **>(from.data()), bytes.data(),
                             count, &attributes, &first, 1, stream));
#else
  size_t failed = 0;
  CHECK(cudaMemcpyBatchAsync(to.data(), from.data(), bytes.data(), count, &attributes, &first, 1, &failed, stream));
#endif
}`,

  prefetch: `// Moves pages to a device, or to the host (cudaCpuDeviceId).
void prefetch(void *memory, size_t bytes, int device, cudaStream_t stream) {
#if CUDART_VERSION >= 13000
  const bool isHost = device == cudaCpuDeviceId;
  CHECK(cudaMemPrefetchAsync(memory, bytes, {isHost ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice, isHost ? 0 : device},
                             0, stream));
#else
  CHECK(cudaMemPrefetchAsync(memory, bytes, device, stream));
#endif
}`,

  advise: `void advise(void *memory, size_t bytes, cudaMemoryAdvise advice, int device) {
#if CUDART_VERSION >= 13000
  const bool isHost = device == cudaCpuDeviceId;
  CHECK(cudaMemAdvise(memory, bytes, advice, {isHost ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice, isHost ? 0 : device}));
#else
  CHECK(cudaMemAdvise(memory, bytes, advice, device));
#endif
}`,

  kernelBlocks: `// Blocks of threads take blocks of memory in turn, 16 bytes a thread.
__global__ void __launch_bounds__(1024)
    copyBlocks(uint8_t *target, const uint8_t *source, const Block *blocks, size_t count) {
  for (size_t i = blockIdx.x; i < count; i += gridDim.x) {
    const Block block = blocks[i];
    const uint8_t *from = source + block.from;
    uint8_t *to = target + block.to;
    const bool isAligned = ((reinterpret_cast<uintptr_t>(from) | reinterpret_cast<uintptr_t>(to)) & 15) == 0;
    const size_t wide = isAligned ? block.bytes / 16 : 0;
    for (size_t at = threadIdx.x; at < wide; at += blockDim.x) {
      reinterpret_cast<uint4 *>(to)[at] = __ldcs(reinterpret_cast<const uint4 *>(from) + at);
    }
    for (size_t at = wide * 16 + threadIdx.x; at < block.bytes; at += blockDim.x) to[at] = from[at];
  }
}`,

  chunks: `// To the device in chunks: each is put together in page-locked memory, and copied while the next one is.
void copyInChunks(const Tensors &tensors, size_t chunkBytes, cudaStream_t stream) {
  size_t begin = 0, end = 0;
  for (const auto &tensor : tensors.all) {
    std::memcpy(tensor.stage, tensor.from, tensor.bytes);
    end += tensor.bytes;
    if (end - begin < chunkBytes) continue;
    CHECK(cudaMemcpyAsync(tensors.to + begin, tensors.stage + begin, end - begin, cudaMemcpyHostToDevice, stream));
    begin = end;
  }
  if (end > begin) {
    CHECK(cudaMemcpyAsync(tensors.to + begin, tensors.stage + begin, end - begin, cudaMemcpyHostToDevice, stream));
  }
  CHECK(cudaStreamSynchronize(stream));
}`,
} as const;
export type CudaHelper = keyof typeof cudaHelpers;

/** Other helpers that a helper uses. */
export const cudaNeeds: Readonly<Partial<Record<CudaHelper, readonly CudaHelper[]>>> = {
  cublas: ['checkLibrary'],
  cufft: ['checkLibrary'],
  hostFunction: ['hostWork'],
  inThreads: ['tensors'],
  chunks: ['tensors'],
  packBlocks: ['blockTable'],
  loopBlocks: ['blockTable'],
  batchBlocks: ['blockTable'],
  kernelBlocks: ['blockTable'],
};

/** Headers of the standard library that a helper needs. */
export const cudaHeaders: Readonly<Partial<Record<CudaHelper, readonly string[]>>> = {
  gate: ['atomic', 'thread'],
  signal: ['condition_variable', 'mutex'],
  wholeDevice: ['algorithm'],
  partOfDevice: ['algorithm', 'cmath'],
  tensors: ['cstring', 'vector'],
  blockTable: ['vector'],
  inThreads: ['atomic', 'thread'],
};
