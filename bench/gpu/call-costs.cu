// Costs that a device profile holds beside those of copies (copy-times.ts): what calls, allocations, graphs, memsets,
// host functions, arithmetic, mapped memory, staging threads and peer copies take. Prints JSON; medians of many rounds,
// host clock unless it says device, nanoseconds.
//   nvcc -O3 -std=c++17 -arch=native -o call-costs bench/gpu/call-costs.cu && ./call-costs
#include <cuda_runtime.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

#define CHECK(call)                                                                                  \
  do {                                                                                               \
    const cudaError_t code = (call);                                                                 \
    if (code != cudaSuccess) {                                                                       \
      std::fprintf(stderr, "%s:%d %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(code));   \
      std::exit(1);                                                                                  \
    }                                                                                                \
  } while (false)

double nowNs() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

template <typename Body>
double timed(Body body) {
  const double start = nowNs();
  body();
  return nowNs() - start;
}

bool firstLine = true;
void report(const std::string& name, double value) {
  std::printf("%s\n  \"%s\": %.1f", firstLine ? "{" : ",", name.c_str(), value);
  std::fflush(stdout);
  firstLine = false;
}

std::string sized(const char* name, std::size_t bytes) { return std::string(name) + " " + std::to_string(bytes); }

__global__ void nothing() {}
__global__ void spin(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
}
__global__ void arithmetic(float* out, int rounds) {
  float a = threadIdx.x, b = 1.5F, c = 2.5F, d = 3.5F;
  for (int i = 0; i < rounds; ++i) {
    a = fmaf(a, 1.0001F, 0.5F);
    b = fmaf(b, 1.0001F, 0.5F);
    c = fmaf(c, 1.0001F, 0.5F);
    d = fmaf(d, 1.0001F, 0.5F);
  }
  if (a + b + c + d == 0.125F) *out = a;
}
__global__ void stream(const uint4* src, uint4* dst, std::size_t count) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < count; i += step) {
    uint4 v = src[i];
    v.x *= 0x0019660dU;
    v.y *= 0x0019660dU;
    v.z *= 0x0019660dU;
    v.w *= 0x0019660dU;
    dst[i] = v;
  }
}

void CUDART_CB empty(void*) {}
void CUDART_CB stamp(void* at) { *static_cast<double*>(at) = nowNs(); }

double deviceNs(cudaStream_t stream, const std::function<void()>& body, int rounds = 15) {
  cudaEvent_t start{}, end{};
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&end));
  std::vector<double> values;
  for (int i = 0; i < rounds; ++i) {
    CHECK(cudaEventRecord(start, stream));
    body();
    CHECK(cudaEventRecord(end, stream));
    CHECK(cudaStreamSynchronize(stream));
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, start, end));
    values.push_back(ms * 1e6);
  }
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(end));
  return median(values);
}

void allocations() {
  for (std::size_t bytes : {std::size_t{512}, std::size_t{65536}, std::size_t{1} << 20, std::size_t{4} << 20, std::size_t{64} << 20,
                            std::size_t{1} << 30}) {
    std::vector<double> make, end;
    for (int i = 0; i < 15; ++i) {
      void* p = nullptr;
      make.push_back(timed([&] { CHECK(cudaMalloc(&p, bytes)); }));
      end.push_back(timed([&] { CHECK(cudaFree(p)); }));
    }
    report(sized("cudaMalloc", bytes), median(make));
    report(sized("cudaFree", bytes), median(end));
  }
  cudaStream_t s{};
  CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  cudaMemPool_t pool{};
  CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
  std::uint64_t keep = UINT64_MAX;
  CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
  for (std::size_t bytes : {std::size_t{512}, std::size_t{1} << 20, std::size_t{64} << 20}) {
    std::vector<double> make, end;
    for (int i = 0; i < 50; ++i) {
      void* p = nullptr;
      make.push_back(timed([&] { CHECK(cudaMallocAsync(&p, bytes, s)); }));
      end.push_back(timed([&] { CHECK(cudaFreeAsync(p, s)); }));
      CHECK(cudaStreamSynchronize(s));
      if (i == 0) report(sized("cudaMallocAsync first", bytes), make[0]);
    }
    report(sized("cudaMallocAsync", bytes), median(make));
    report(sized("cudaFreeAsync", bytes), median(end));
  }
  for (std::size_t bytes : {std::size_t{4096}, std::size_t{65536}, std::size_t{1} << 20, std::size_t{4} << 20, std::size_t{16} << 20,
                            std::size_t{64} << 20, std::size_t{512} << 20}) {
    std::vector<double> make, end;
    for (int i = 0; i < 7; ++i) {
      void* p = nullptr;
      make.push_back(timed([&] { CHECK(cudaHostAlloc(&p, bytes, cudaHostAllocDefault)); }));
      end.push_back(timed([&] { CHECK(cudaFreeHost(p)); }));
    }
    report(sized("cudaHostAlloc", bytes), median(make));
    report(sized("cudaFreeHost", bytes), median(end));
  }
  CHECK(cudaStreamDestroy(s));
}

void memsets() {
  cudaStream_t s{};
  CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  char* p = nullptr;
  CHECK(cudaMalloc(&p, std::size_t{1} << 30));
  const double pair = deviceNs(s, [] {}, 50);
  report("event pair device", pair);
  for (std::size_t bytes : {std::size_t{4}, std::size_t{4096}, std::size_t{65536}, std::size_t{1} << 20, std::size_t{16} << 20,
                            std::size_t{256} << 20, std::size_t{1} << 30}) {
    std::vector<double> calls;
    for (int i = 0; i < 20; ++i) {
      calls.push_back(timed([&] { CHECK(cudaMemsetAsync(p, 7, bytes, s)); }));
      CHECK(cudaStreamSynchronize(s));
    }
    report(sized("cudaMemsetAsync call", bytes), median(calls));
    // Four in a row, so that what two events add counts a quarter.
    const double four = deviceNs(s, [&] { for (int i = 0; i < 8; ++i) CHECK(cudaMemsetAsync(p, i, bytes, s)); });
    const double one = deviceNs(s, [&] { CHECK(cudaMemsetAsync(p, 1, bytes, s)); });
    report(sized("memset device", bytes), (four - one) / 7);
  }
  CHECK(cudaFree(p));
  CHECK(cudaStreamDestroy(s));
}

void calls() {
  cudaStream_t s{};
  cudaEvent_t a{}, b{};
  CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  CHECK(cudaEventCreate(&a));
  CHECK(cudaEventCreate(&b));
  auto each = [&](const char* name, const std::function<void()>& body) {
    std::vector<double> values;
    for (int i = 0; i < 400; ++i) {
      values.push_back(timed(body));
      if (i % 100 == 99) CHECK(cudaStreamSynchronize(s));
    }
    report(name, median(values));
  };
  each("cudaEventRecord", [&] { CHECK(cudaEventRecord(a, s)); });
  each("cudaStreamWaitEvent", [&] { CHECK(cudaStreamWaitEvent(s, a, 0)); });
  CHECK(cudaEventRecord(b, s));
  CHECK(cudaStreamSynchronize(s));
  each("cudaEventElapsedTime", [&] { float ms = 0; CHECK(cudaEventElapsedTime(&ms, a, b)); });
  each("cudaEventQuery complete", [&] { CHECK(cudaEventQuery(a)); });
  each("cudaStreamQuery complete", [&] { CHECK(cudaStreamQuery(s)); });
  each("cudaStreamSynchronize complete", [&] { CHECK(cudaStreamSynchronize(s)); });
  each("cudaEventSynchronize complete", [&] { CHECK(cudaEventSynchronize(a)); });
  each("cudaDeviceSynchronize complete", [&] { CHECK(cudaDeviceSynchronize()); });
  each("cudaLaunchKernel", [&] { nothing<<<1, 1, 0, s>>>(); });
  each("cudaLaunchHostFunc", [&] { CHECK(cudaLaunchHostFunc(s, empty, nullptr)); });
  CHECK(cudaStreamSynchronize(s));
  spin<<<1, 1, 0, s>>>(2'000'000);
  each("cudaStreamQuery busy", [&] { (void)cudaStreamQuery(s); });
  CHECK(cudaStreamSynchronize(s));

  std::vector<double> start, wake, rate, between;
  for (int i = 0; i < 50; ++i) {
    double at = 0;
    CHECK(cudaLaunchHostFunc(s, stamp, &at));
    const double called = nowNs();
    CHECK(cudaStreamSynchronize(s));
    start.push_back(at - called);
    wake.push_back(nowNs() - at);
  }
  report("host function starts after its call", median(start));
  report("synchronise returns after host function", median(wake));
  for (int i = 0; i < 20; ++i) {
    double first = 0, second = 0;
    CHECK(cudaLaunchHostFunc(s, stamp, &first));
    nothing<<<1, 1, 0, s>>>();
    CHECK(cudaLaunchHostFunc(s, stamp, &second));
    CHECK(cudaStreamSynchronize(s));
    between.push_back(second - first);
    double last = 0;
    CHECK(cudaLaunchHostFunc(s, stamp, &first));
    for (int k = 0; k < 98; ++k) CHECK(cudaLaunchHostFunc(s, empty, nullptr));
    CHECK(cudaLaunchHostFunc(s, stamp, &last));
    CHECK(cudaStreamSynchronize(s));
    rate.push_back((last - first) / 99);
  }
  report("host function to host function with a kernel between", median(between));
  report("host function to host function", median(rate));
  CHECK(cudaStreamDestroy(s));
}

void graphs() {
  cudaStream_t s{};
  CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  char *host = nullptr, *device = nullptr;
  CHECK(cudaMallocHost(&host, 4096));
  CHECK(cudaMalloc(&device, 4096));
  for (int copies : {0, 1}) {
    for (int nodes : {1, 10, 100, 1000}) {
      std::vector<double> begin, capture, end, instantiate, upload, first, again, done;
      for (int round = 0; round < 9; ++round) {
        cudaGraph_t graph{};
        cudaGraphExec_t exec{};
        begin.push_back(timed([&] { CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal)); }));
        capture.push_back(timed([&] {
          for (int i = 0; i < nodes; ++i) {
            if (copies != 0) CHECK(cudaMemcpyAsync(device, host, 4096, cudaMemcpyHostToDevice, s));
            else nothing<<<1, 1, 0, s>>>();
          }
        }) / nodes);
        end.push_back(timed([&] { CHECK(cudaStreamEndCapture(s, &graph)); }));
        instantiate.push_back(timed([&] { CHECK(cudaGraphInstantiate(&exec, graph, 0)); }));
        upload.push_back(timed([&] { CHECK(cudaGraphUpload(exec, s)); }));
        CHECK(cudaStreamSynchronize(s));
        const double at = nowNs();
        CHECK(cudaGraphLaunch(exec, s));
        first.push_back(nowNs() - at);
        CHECK(cudaStreamSynchronize(s));
        for (int i = 0; i < 5; ++i) {
          const double launched = nowNs();
          CHECK(cudaGraphLaunch(exec, s));
          again.push_back(nowNs() - launched);
          CHECK(cudaStreamSynchronize(s));
          done.push_back(nowNs() - launched);
        }
        CHECK(cudaGraphExecDestroy(exec));
        CHECK(cudaGraphDestroy(graph));
      }
      const std::string kind = copies != 0 ? " copies" : " kernels";
      auto name = [&](const char* what) { return std::string(what) + " " + std::to_string(nodes) + kind; };
      report(name("cudaStreamBeginCapture"), median(begin));
      report(name("captured call"), median(capture));
      report(name("cudaStreamEndCapture"), median(end));
      report(name("cudaGraphInstantiate"), median(instantiate));
      report(name("cudaGraphUpload"), median(upload));
      report(name("cudaGraphLaunch first"), median(first));
      report(name("cudaGraphLaunch"), median(again));
      report(name("cudaGraphLaunch to synchronised"), median(done));
    }
  }
  CHECK(cudaStreamDestroy(s));
}

void kernels() {
  cudaStream_t s{};
  CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  cudaDeviceProp facts{};
  CHECK(cudaGetDeviceProperties(&facts, 0));
  int resident = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, arithmetic, 256, 0));
  float* out = nullptr;
  CHECK(cudaMalloc(&out, 4));
  for (double share : {1.0, 0.5, 0.25}) {
    const int blocks = static_cast<int>(share * facts.multiProcessorCount * resident);
    const double ns = deviceNs(s, [&] { arithmetic<<<blocks, 256, 0, s>>>(out, 100'000); }, 5);
    report("arithmetic Gflop/s share " + std::to_string(share), 8.0 * 100'000 * blocks * 256 / ns);
  }
  for (double share : {1.0, 0.5, 0.25, 0.1}) {
    const std::size_t bytes = std::size_t{512} << 20;
    uint4 *src = nullptr, *dst = nullptr;
    CHECK(cudaMalloc(&src, bytes));
    CHECK(cudaMalloc(&dst, bytes));
    const int blocks = static_cast<int>(share * facts.multiProcessorCount * 8);
    const double ns = deviceNs(s, [&] { stream<<<blocks, 256, 0, s>>>(src, dst, bytes / 16); });
    report("stream GB/s share " + std::to_string(share), 2.0 * bytes / ns);
    CHECK(cudaFree(src));
    CHECK(cudaFree(dst));
  }
  for (std::size_t bytes : {std::size_t{4096}, std::size_t{1} << 20, std::size_t{64} << 20, std::size_t{256} << 20}) {
    uint4 *host = nullptr, *device = nullptr;
    CHECK(cudaHostAlloc(&host, bytes, cudaHostAllocMapped));
    std::memset(host, 1, bytes);
    CHECK(cudaMalloc(&device, bytes));
    const int blocks = facts.multiProcessorCount * 8;
    report(sized("mapped read device", bytes), deviceNs(s, [&] { stream<<<blocks, 256, 0, s>>>(host, device, bytes / 16); }));
    report(sized("mapped write device", bytes), deviceNs(s, [&] { stream<<<blocks, 256, 0, s>>>(device, host, bytes / 16); }));
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(device));
  }
  CHECK(cudaStreamDestroy(s));
}

/// Which calls wait for work that is running in another stream: a kernel of about 10 ms is under way at each.
void waits() {
  cudaStream_t busy{}, other{};
  CHECK(cudaStreamCreateWithFlags(&busy, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  const std::size_t bytes = std::size_t{4} << 20;
  auto during = [&](const char* name, const std::function<void()>& body) {
    std::vector<double> values;
    for (int i = 0; i < 5; ++i) {
      spin<<<1, 1, 0, busy>>>(20'000'000);
      values.push_back(timed(body));
      CHECK(cudaStreamSynchronize(busy));
    }
    report(std::string(name) + " beside a 10 ms kernel", median(values));
  };
  std::vector<void*> device, pinned, pool;
  std::vector<char> pages(6 * bytes, 1);
  std::size_t registered = 0, unregistered = 0;
  during("cudaMalloc", [&] { CHECK(cudaMalloc(&device.emplace_back(), bytes)); });
  during("cudaFree", [&] { CHECK(cudaFree(device.back())); device.pop_back(); });
  during("cudaMalloc again", [&] { CHECK(cudaMalloc(&device.emplace_back(), bytes)); });
  during("cudaHostAlloc", [&] { CHECK(cudaHostAlloc(&pinned.emplace_back(), bytes, cudaHostAllocDefault)); });
  during("cudaFreeHost", [&] { CHECK(cudaFreeHost(pinned.back())); pinned.pop_back(); });
  during("cudaHostRegister", [&] { CHECK(cudaHostRegister(pages.data() + registered++ * bytes, bytes, cudaHostRegisterDefault)); });
  during("cudaHostUnregister", [&] { CHECK(cudaHostUnregister(pages.data() + unregistered++ * bytes)); });
  during("cudaMallocAsync", [&] { CHECK(cudaMallocAsync(&pool.emplace_back(), bytes, other)); });
  during("cudaFreeAsync", [&] { CHECK(cudaFreeAsync(pool.back(), other)); pool.pop_back(); });
  during("cudaMemsetAsync", [&] { CHECK(cudaMemsetAsync(device.back(), 1, bytes, other)); });
  during("cudaGraph capture to upload", [&] {
    cudaGraph_t graph{};
    cudaGraphExec_t exec{};
    CHECK(cudaStreamBeginCapture(other, cudaStreamCaptureModeThreadLocal));
    nothing<<<1, 1, 0, other>>>();
    CHECK(cudaStreamEndCapture(other, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphUpload(exec, other));
  });
  // A pageable source that lies in the host's caches, and one of 2 GiB that doesn't.
  for (const bool cold : {false, true}) {
    for (std::size_t size : {std::size_t{1} << 20, std::size_t{4} << 20, std::size_t{16} << 20}) {
      char* target = nullptr;
      CHECK(cudaMalloc(&target, size));
      std::vector<double> calls;
      const std::size_t places = cold ? (std::size_t{2} << 30) / size : 1;
      std::vector<char> source(places * size, 1);
      for (std::size_t i = 0; i < 60; ++i) {
        const char* from = source.data() + (cold ? (i % places) * size : 0);
        calls.push_back(timed([&] { CHECK(cudaMemcpyAsync(target, from, size, cudaMemcpyHostToDevice, other)); }));
        CHECK(cudaStreamSynchronize(other));
      }
      report(sized(cold ? "pageable call, source in memory" : "pageable call, source in caches", size), median(calls));
      CHECK(cudaFree(target));
    }
  }
}

void staging() {
  const std::size_t chunk = std::size_t{4} << 20;
  const std::size_t total = std::size_t{1} << 30;
  std::vector<char> source(total, 1);
  char* pinned = nullptr;
  CHECK(cudaMallocHost(&pinned, 32 * chunk));
  for (int threads : {1, 2, 4, 8, 12, 16}) {
    std::vector<double> values;
    for (int round = 0; round < 3; ++round) {
      std::atomic<std::size_t> next{0};
      values.push_back(timed([&] {
        std::vector<std::thread> workers;
        for (int t = 0; t < threads; ++t) {
          workers.emplace_back([&, t] {
            for (std::size_t at = next.fetch_add(chunk); at < total; at = next.fetch_add(chunk))
              std::memcpy(pinned + 2 * t * chunk, source.data() + at, chunk);
          });
        }
        for (auto& worker : workers) worker.join();
      }));
    }
    report("host memcpy GB/s threads " + std::to_string(threads), static_cast<double>(total) / median(values));
  }
  std::vector<double> small;
  for (int i = 0; i < 200; ++i) {
    small.push_back(timed([&] { for (int k = 0; k < 100; ++k) std::memcpy(pinned + k * 4096, source.data() + (i * 100 + k) * 4096 % (1 << 28), 4000); }) / 100);
  }
  report("host memcpy 4000 bytes", median(small));
  std::vector<double> start;
  for (int i = 0; i < 50; ++i) start.push_back(timed([] { std::thread([] {}).join(); }));
  report("thread start and join", median(start));
  std::mutex mutex;
  std::condition_variable condition;
  double called = 0, woken = 0;
  bool ready = false, stop = false;
  std::vector<double> wakes;
  std::thread worker([&] {
    std::unique_lock lock(mutex);
    while (!stop) {
      condition.wait(lock, [&] { return ready || stop; });
      woken = nowNs();
      ready = false;
    }
  });
  for (int i = 0; i < 100; ++i) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    {
      std::lock_guard lock(mutex);
      ready = true;
      called = nowNs();
    }
    condition.notify_one();
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    std::lock_guard lock(mutex);
    wakes.push_back(woken - called);
  }
  {
    std::lock_guard lock(mutex);
    stop = true;
  }
  condition.notify_one();
  worker.join();
  report("thread wake", median(wakes));
  CHECK(cudaFreeHost(pinned));
}

void peers() {
  int count = 0;
  CHECK(cudaGetDeviceCount(&count));
  if (count < 2) return;
  const std::size_t most = std::size_t{256} << 20;
  char *a = nullptr, *b = nullptr;
  CHECK(cudaSetDevice(1));
  CHECK(cudaMalloc(&b, most));
  CHECK(cudaSetDevice(0));
  CHECK(cudaMalloc(&a, most));
  cudaStream_t s{};
  CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  for (int access : {0, 1}) {
    if (access == 1) {
      CHECK(cudaDeviceEnablePeerAccess(1, 0));
      CHECK(cudaSetDevice(1));
      CHECK(cudaDeviceEnablePeerAccess(0, 0));
      CHECK(cudaSetDevice(0));
    }
    for (std::size_t bytes : {std::size_t{4096}, std::size_t{65536}, std::size_t{1} << 20, std::size_t{16} << 20, most}) {
      std::vector<double> calls;
      for (int i = 0; i < 9; ++i) {
        calls.push_back(timed([&] { CHECK(cudaMemcpyPeerAsync(b, 1, a, 0, bytes, s)); }));
        CHECK(cudaStreamSynchronize(s));
      }
      const char* kind = access == 1 ? "peer copy" : "peer copy without access";
      report(sized((std::string(kind) + " call").c_str(), bytes), median(calls));
      report(sized((std::string(kind) + " device").c_str(), bytes),
             deviceNs(s, [&] { CHECK(cudaMemcpyPeerAsync(b, 1, a, 0, bytes, s)); }, 9));
    }
  }
}

}  // namespace

int main() {
  CHECK(cudaFree(nullptr));
  nothing<<<1, 1>>>();
  CHECK(cudaDeviceSynchronize());
  allocations();
  memsets();
  calls();
  graphs();
  kernels();
  waits();
  staging();
  peers();
  std::printf("\n}\n");
  return 0;
}
