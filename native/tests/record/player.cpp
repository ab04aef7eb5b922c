// Plays a program that uses CUDA, with the stand-in for CUPTI: in each step a copy, kernels and a wait within an NVTX range,
// on several threads. The size of a copy is its number, and a line of stdout reports each step when it is over.
//   copyscope_record_player THREADS STEPS [end|exit|fork|exec|wait|ranges|forks|library|library-only|unmarked]
// Ends in order, by _exit, after a forked child has played and ended, by exec of itself, or only when it is killed.
// `ranges` plays each way to write an NVTX range and ends in order. `forks` forks again and again while another thread
// begins ranges, and each child begins one too. `library` has ranges of a library's own domain before, around and in the
// steps, `library-only` has no others, and `unmarked` has none, and a pause before the steps.
#include <dlfcn.h>
#include <nvtx3/nvToolsExt.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "standin_cupti.h"

namespace {

/// Loads CUDA's injection, as the driver does at the first cuInit.
void initialiseCuda() {
  const char* const path = std::getenv("CUDA_INJECTION64_PATH");
  if (path == nullptr) return;
  void* const library = dlopen(path, RTLD_NOW);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(9);
  }
  reinterpret_cast<int (*)()>(dlsym(library, "InitializeInjection"))();
}

std::atomic<std::uint32_t> correlations{0};
constexpr CUpti_CallbackDomain runtime = CUPTI_CB_DOMAIN_RUNTIME_API;

struct Device {
  std::uint32_t stream;
  std::uint64_t freeAt = 0;
};

template <typename Activity>
void work(Device& device, Activity& activity, std::uint32_t correlation, std::uint64_t length) {
  const std::uint64_t now = standinNow();
  activity.start = device.freeAt > now ? device.freeAt : now;
  activity.end = activity.start + length;
  device.freeAt = activity.end;
  activity.streamId = device.stream;
  activity.correlationId = correlation;
  standinActivity(reinterpret_cast<const CUpti_Activity*>(&activity), sizeof activity);
}

void copy(Device& device, std::uint64_t bytes) {
  // From the address of the copies' counter to an address outside of host memory.
  struct {
    std::uint64_t destination;
    const void* source;
    std::uint64_t bytes;
    int kind;
    void* stream;
  } params{0x700000000000, &correlations, bytes, 1, nullptr};
  const std::uint32_t correlation = ++correlations;
  int result = 0;
  standinCall(1, runtime, CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020, correlation, &params, &result);
  // The runtime calls the driver.
  standinCall(1, CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2, correlation, nullptr, &result);
  CUpti_ActivityMemcpy6 activity{};
  activity.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  activity.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
  activity.srcKind = CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE;
  activity.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  activity.bytes = bytes;
  work(device, activity, correlation, 2000);
  standinCall(0, CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2, correlation, nullptr, &result);
  standinCall(0, runtime, CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020, correlation, &params, &result);
}

void kernel(Device& device) {
  const std::uint32_t correlation = ++correlations;
  int result = 0;
  standinCall(1, runtime, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000, correlation, nullptr, &result);
  CUpti_ActivityKernel10 activity{};
  activity.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  activity.name = "_Z4stepPf";
  work(device, activity, correlation, 3000);
  standinCall(0, runtime, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000, correlation, nullptr, &result);
}

void wait() {
  const std::uint32_t correlation = ++correlations;
  int result = 0;
  standinCall(1, runtime, CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020, correlation, nullptr, &result);
  std::this_thread::yield();
  standinCall(0, runtime, CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020, correlation, nullptr, &result);
}

void pin() {
  void* block = nullptr;
  struct {
    void** place;
    std::size_t bytes;
    unsigned int flags;
  } params{&block, 1 << 20, 0};
  const std::uint32_t correlation = ++correlations;
  int result = 0;
  standinCall(1, runtime, CUPTI_RUNTIME_TRACE_CBID_cudaHostAlloc_v3020, correlation, &params, &result);
  block = &correlations;
  standinCall(0, runtime, CUPTI_RUNTIME_TRACE_CBID_cudaHostAlloc_v3020, correlation, &params, &result);
}

nvtxEventAttributes_t message(nvtxMessageType_t type, nvtxMessageValue_t value) {
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = type;
  attributes.message = value;
  return attributes;
}

enum class Marks { steps, stepsInLibrary, library, none };

void play(int number, int steps, Marks marks) {
  Device device{static_cast<std::uint32_t>(7 + number)};
  const bool hasSteps = marks == Marks::steps || marks == Marks::stepsInLibrary;
  const bool hasLibrary = marks == Marks::stepsInLibrary || marks == Marks::library;
  const nvtxDomainHandle_t library = hasLibrary ? nvtxDomainCreateA("CUB") : nullptr;
  nvtxMessageValue_t value{};
  value.ascii = "DeviceReduce";
  const nvtxEventAttributes_t reduce = message(NVTX_MESSAGE_TYPE_ASCII, value);
  pin();
  for (int step = 1; step <= steps; ++step) {
    if (hasLibrary) nvtxDomainRangePushEx(library, &reduce);
    if (hasSteps) nvtxRangePushA("step");
    if (hasLibrary) {
      nvtxDomainRangePushEx(library, &reduce);
      nvtxDomainRangePop(library);
    }
    copy(device, static_cast<std::uint64_t>(step));
    for (int times = 0; times < 3; ++times) kernel(device);
    wait();
    if (hasSteps) nvtxRangePop();
    if (hasLibrary) nvtxDomainRangePop(library);
    char line[64];
    const int length = std::snprintf(line, sizeof line, "%d %d\n", number, step);
    if (write(STDOUT_FILENO, line, static_cast<std::size_t>(length)) < 0) return;
  }
}

/// Nested ranges of several domains, and some that end on another thread, later than the ranges around them.
void playRanges() {
  const nvtxDomainHandle_t loader = nvtxDomainCreateA("loader");
  nvtxMessageValue_t value{};
  value.registered = nvtxDomainRegisterStringA(loader, "decode");
  const nvtxEventAttributes_t decode = message(NVTX_MESSAGE_TYPE_REGISTERED, value);
  value.ascii = "batch";
  const nvtxEventAttributes_t batch = message(NVTX_MESSAGE_TYPE_ASCII, value);
  value.unicode = L"gradients \u2207";
  const nvtxEventAttributes_t gradients = message(NVTX_MESSAGE_TYPE_UNICODE, value);
  nvtxRangePushA("epoch");
  const nvtxRangeId_t prefetch = nvtxRangeStartA("prefetch");
  nvtxRangePushW(L"step \u00e9");
  nvtxDomainRangePushEx(loader, &batch);
  nvtxDomainRangePushEx(loader, &decode);
  nvtxDomainRangePop(loader);
  nvtxDomainRangePop(loader);
  nvtxRangePushEx(&gradients);
  nvtxRangePop();
  const nvtxRangeId_t save = nvtxDomainRangeStartEx(loader, &batch);
  nvtxRangePop();
  std::thread([=] { nvtxDomainRangeEnd(loader, save); }).join();
  nvtxRangePop();
  std::thread([=] { nvtxRangeEnd(prefetch); }).join();
  // One too many: nothing is open.
  nvtxRangePop();
  nvtxDomainDestroy(loader);
}

/// Each child ends by itself, or the alarm ends it, as its status shows.
bool forkBesideRanges() {
  std::atomic<bool> isOver{false};
  std::thread beside([&] {
    while (!isOver) {
      nvtxRangePushA("beside");
      nvtxRangePop();
      nvtxRangeEnd(nvtxRangeStartA("started"));
    }
  });
  bool allEnded = true;
  for (int times = 0; times < 1000 && allEnded; ++times) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      nvtxRangePushA("child");
      nvtxRangePop();
      nvtxRangeEnd(nvtxRangeStartA("started"));
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    allEnded = status == 0;
  }
  isOver = true;
  beside.join();
  return allEnded;
}

void playAll(int threads, int steps, Marks marks = Marks::steps) {
  std::vector<std::thread> all;
  for (int number = 0; number < threads; ++number) all.emplace_back(play, number, steps, marks);
  for (std::thread& one : all) one.join();
}

}  // namespace

/// The same for a program in Python that loads this as a library: plays on the thread that calls. `marks` is a Marks.
extern "C" __attribute__((visibility("default"))) void standinPlay(int steps, int marks) {
  play(0, steps, static_cast<Marks>(marks));
}

int main(int count, char** arguments) {
  const int threads = count > 1 ? std::atoi(arguments[1]) : 1;
  const int steps = count > 2 ? std::atoi(arguments[2]) : 1;
  const std::string ending = count > 3 ? arguments[3] : "end";
#ifdef __SANITIZE_THREAD__
  // NVTX's own headers read functions without a lock that the first call sets: if two threads make that call, the
  // sanitizer sometimes finds that race, and nothing here can prevent it.
  nvtxInitialize(nullptr);
#endif
  if (ending == "fork") {
    // Ranges before CUDA load the library; the child makes a file of its own.
    nvtxRangePushA("before");
    const pid_t child = fork();
    if (child == 0) {
      initialiseCuda();
      playAll(threads, steps);
      std::exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    nvtxRangePop();
  }
  if (ending == "forks") {
    nvtxRangePushA("before");
    if (!forkBesideRanges()) return 8;
    nvtxRangePop();
  }
  initialiseCuda();
  // The recorder checks the time about twice a second.
  if (ending == "unmarked") std::this_thread::sleep_for(std::chrono::seconds(2));
  playAll(threads, steps,
          ending == "library"        ? Marks::stepsInLibrary
          : ending == "library-only" ? Marks::library
          : ending == "unmarked"     ? Marks::none
                                     : Marks::steps);
  if (ending == "ranges") playRanges();
  if (ending == "exec") {
    const std::string number = std::to_string(threads);
    const std::string length = std::to_string(steps);
    execl(arguments[0], arguments[0], number.c_str(), length.c_str(), "end", nullptr);
  }
  if (ending == "exit") _exit(7);
  while (ending == "wait") pause();
  return 3;
}
