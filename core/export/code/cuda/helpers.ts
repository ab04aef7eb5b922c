/** Helpers that a CUDA program may need. Only those that it uses are written, in this order. */

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

  numbers: `__host__ __device__ uint32_t bitsOf(float number) {
  union {
    float number;
    uint32_t bits;
  } both = {number};
  return both.bits;
}

// Numbers from -1 to 1 of random bits: one of float32 in a word, or two of 16 bits.
__host__ __device__ uint32_t float32Word(uint32_t mixed) {
  return bitsOf(static_cast<float>(static_cast<int>(mixed >> 9) - (1 << 22)) / (1 << 22));
}

__host__ __device__ uint32_t twoNumbers(uint32_t mixed, int bits) {
  uint32_t word = 0;
  for (int place = 0; place < 32; place += 16) {
    const int half = 1 << (bits - 1), whole = static_cast<int>((mixed >> place) & (2 * half - 1)) - half;
    const uint32_t full = bitsOf(static_cast<float>(whole) / static_cast<float>(half));
    uint32_t number = full >> 16;  // bfloat16
    if (bits == 11) {              // float16
      number = whole == 0 ? 0 : ((full >> 16) & 0x8000) | ((((full >> 23) & 0xff) - 112) << 10) | ((full >> 13) & 0x3ff);
    }
    word |= number << place;
  }
  return word;
}`,

  content: `// What a region of memory holds: little-endian 32-bit words of a pattern, each multiplied by a factor.
struct Content {
  enum Kind { random, index, constant } kind;
  uint32_t seed;
  uint64_t offset = 0;
  uint32_t factor = 1;

  Content from(uint64_t bytes) const { return {kind, seed, offset + bytes, factor}; }
  Content times(uint32_t by) const { return {kind, seed, offset, factor * by}; }

  __host__ __device__ uint32_t word(uint64_t number) const {
    if (kind == constant) return seed;
    if (kind == index) return static_cast<uint32_t>(number) + seed;
    uint32_t mixed = static_cast<uint32_t>(number) * 0x9e3779b1u + seed;
    mixed = (mixed ^ (mixed >> 16)) * 0x85ebca6bu;
    mixed = (mixed ^ (mixed >> 13)) * 0xc2b2ae35u;
    return mixed ^ (mixed >> 16);
  }

  __host__ __device__ uint8_t byte(uint64_t at) const {
    const uint64_t place = offset + at;
    return static_cast<uint8_t>((word(place / 4) * factor) >> (place % 4 * 8));
  }
};

Content randomWords(uint32_t seed) { return {Content::random, seed}; }
Content indexWords(uint32_t seed) { return {Content::index, seed}; }
Content constantWord(uint32_t value) { return {Content::constant, value}; }`,

  fill: `// Kept whole, as Copyscope's own is: written out for one content it would take a third of the time.
__noinline__ void fill(void *memory, size_t bytes, const Content &content) {
  auto *target = static_cast<uint8_t *>(memory);
  size_t at = 0;
  for (; content.offset % 4 == 0 && at + 4 <= bytes; at += 4) {
    const uint32_t word = content.word((content.offset + at) / 4) * content.factor;
    std::memcpy(target + at, &word, 4);
  }
  for (; at < bytes; ++at) target[at] = content.byte(at);
}`,

  flush: `// Has a processor's caches give back what it has written: a device is slow to write over what they hold.
void flush(const void *memory, size_t bytes) {
#ifdef __x86_64__
  for (size_t at = 0; at < bytes; at += 64) _mm_clflush(static_cast<const uint8_t *>(memory) + at);
  _mm_mfence();
#endif
}`,

  fillOnDevice: `__global__ void fillKernel(uint8_t *target, size_t bytes, Content content) {
  const size_t step = gridDim.x * static_cast<size_t>(blockDim.x);
  for (size_t at = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x; at < bytes; at += step) {
    target[at] = content.byte(at);
  }
}

void fillOnDevice(void *memory, size_t bytes, Content content) {
  fillKernel<<<1024, 256>>>(static_cast<uint8_t *>(memory), bytes, content);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
}`,

  wrong: `std::atomic<size_t> wrongBytes{0};`,

  expect: `// Compares memory of the host with what should be there.
__noinline__ void expect(const char *name, const void *memory, size_t bytes, const Content &content) {
  const auto *found = static_cast<const uint8_t *>(memory);
  size_t wrong = 0, at = 0;
  for (; content.offset % 4 == 0 && at + 4 <= bytes; at += 4) {
    const uint32_t word = content.word((content.offset + at) / 4) * content.factor;
    if (std::memcmp(found + at, &word, 4) == 0) continue;
    for (size_t byte = at; byte < at + 4; ++byte) wrong += found[byte] != content.byte(byte);
  }
  for (; at < bytes; ++at) wrong += found[at] != content.byte(at);
  if (wrong != 0) std::printf("%s: %zu of %zu bytes are wrong\\n", name, wrong, bytes);
  wrongBytes += wrong;
}`,

  expectOnDevice: `void expectOnDevice(const char *name, const void *memory, size_t bytes, Content content) {
  std::vector<uint8_t> found(bytes);
  CHECK(cudaMemcpy(found.data(), memory, bytes, cudaMemcpyDeviceToHost));
  expect(name, found.data(), bytes, content);
}`,

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

  partOfDevice: `// Blocks for a part of the device: one on each multiprocessor.
int blocksFor(double share) {
  int device, multiprocessors;
  CHECK(cudaGetDevice(&device));
  CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  return std::max(1, static_cast<int>(std::ceil(share * multiprocessors)));
}

// Shared memory of a block, so much that it has its multiprocessor to itself. Each device must be told of it.
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

  expectNumbers: `double numberOf(const Content &content, size_t index, cudaDataType type) {
  if (type == CUDA_R_32F) {
    const uint32_t word = content.word(content.offset / 4 + index);
    float number;
    std::memcpy(&number, &word, 4);
    return number;
  }
  const uint16_t bits = static_cast<uint16_t>(content.word(content.offset / 4 + index / 2) >> (index % 2 * 16));
  if (type == CUDA_R_16BF) return __bfloat162float(__nv_bfloat16(__nv_bfloat16_raw{bits}));
  return __half2float(__half(__half_raw{bits}));
}

double numberIn(const std::vector<uint8_t> &memory, size_t index, cudaDataType type) {
  uint32_t word = 0;
  const size_t bytes = type == CUDA_R_32F ? 4 : 2;
  std::memcpy(&word, memory.data() + index * bytes, bytes);
  return numberOf({Content::constant, bytes == 4 ? word : word << 16 | word}, 0, type);
}`,

  expectProduct: `// Some numbers of a product, spread over it, against what they should be. What rounding explains is not wrong.
void expectProduct(const char *name, const void *memory, Content first, Content second, size_t m, size_t n, size_t k,
                   cudaDataType type, double rounding) {
  const size_t bytes = type == CUDA_R_32F ? 4 : 2;
  std::vector<uint8_t> found(m * n * bytes);
  CHECK(cudaMemcpy(found.data(), memory, found.size(), cudaMemcpyDeviceToHost));
  size_t wrong = 0;
  for (size_t at = 0, step = m * n / 256 | 1; at < m * n; at += step) {
    double wanted = 0, sum = 0;
    for (size_t i = 0; i < k; ++i) {
      const double term = numberOf(first, at / n * k + i, type) * numberOf(second, i * n + at % n, type);
      wanted += term;
      sum += std::fabs(term);
    }
    if (!(std::fabs(numberIn(found, at, type) - wanted) <= sum * rounding)) ++wrong;
  }
  if (wrong != 0) std::printf("%s: %zu numbers are wrong\\n", name, wrong);
  wrongBytes += wrong * bytes;
}`,

  expectTransform: `// Some numbers of the transforms, spread over them, against what they should be.
void expectTransform(const char *name, const void *memory, Content input, size_t size, size_t batch) {
  std::vector<uint8_t> found(size * batch * 8);
  CHECK(cudaMemcpy(found.data(), memory, found.size(), cudaMemcpyDeviceToHost));
  const double allowed = (std::log2(size) + 2) * std::sqrt(size) * 1e-6;
  size_t wrong = 0;
  for (size_t at = 0, step = size * batch / 16 | 1; at < size * batch; at += step) {
    double real = 0, imaginary = 0;
    for (size_t i = 0; i < size; ++i) {
      const double angle = -2 * M_PI * static_cast<double>(i * (at % size) % size) / static_cast<double>(size);
      const double x = numberOf(input, 2 * (at / size * size + i), CUDA_R_32F);
      const double y = numberOf(input, 2 * (at / size * size + i) + 1, CUDA_R_32F);
      real += x * std::cos(angle) - y * std::sin(angle);
      imaginary += x * std::sin(angle) + y * std::cos(angle);
    }
    const double distance = std::hypot(numberIn(found, 2 * at, CUDA_R_32F) - real,
                                       numberIn(found, 2 * at + 1, CUDA_R_32F) - imaginary);
    if (!(distance <= allowed)) ++wrong;
  }
  if (wrong != 0) std::printf("%s: %zu numbers are wrong\\n", name, wrong);
  wrongBytes += wrong * 8;
}`,

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
    const Content content = randomWords(1000 + static_cast<uint32_t>(i));
    if (from == Memory::device) fillOnDevice(tensors.all.back().from, bytes, content);
    else fill(tensors.all.back().from, bytes, content);
  }
  return tensors;
}

void expectTensors(const char *name, const Tensors &tensors) {
  for (size_t i = 0; i < tensors.all.size(); ++i) {
    std::vector<uint8_t> found(tensors.all[i].bytes);
    CHECK(cudaMemcpy(found.data(), tensors.all[i].to, found.size(), cudaMemcpyDefault));
    expect(name, found.data(), found.size(), randomWords(1000 + static_cast<uint32_t>(i)));
  }
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

/** What a helper is made of. */
export const cudaNeeds: Readonly<Partial<Record<CudaHelper, readonly CudaHelper[]>>> = {
  cublas: ['checkLibrary'],
  cufft: ['checkLibrary'],
  expectNumbers: ['content', 'wrong'],
  expectProduct: ['expectNumbers'],
  expectTransform: ['expectNumbers'],
  fill: ['content'],
  fillOnDevice: ['content'],
  expect: ['content', 'wrong'],
  expectOnDevice: ['expect'],
  hostFunction: ['hostWork'],
  tensors: ['fill', 'fillOnDevice', 'expect'],
  inThreads: ['tensors'],
  chunks: ['tensors'],
};

/** The same for a program with buffers of numbers. */
export const contentOfNumbers: string = cudaHelpers.content
  .replace('{ random, index, constant }', '{ random, index, constant, float32, float16, bfloat16 }')
  .replace(
    '    return mixed ^ (mixed >> 16);\n',
    `    mixed ^= mixed >> 16;
    if (kind == float32) return float32Word(mixed);
    return kind == random ? mixed : twoNumbers(mixed, kind == float16 ? 11 : 8);
`,
  )
  .concat(
    ['float32', 'float16', 'bfloat16']
      .map((kind) => `\nContent ${kind}Numbers(uint32_t seed) { return {Content::${kind}, seed}; }`)
      .join(''),
  );
