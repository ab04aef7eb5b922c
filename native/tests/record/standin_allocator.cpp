// Stands for PyTorch's allocator, whose library is known by its name: it has a lock, and waits for the device with the lock
// held.
#include <mutex>

#include "standin_cupti.h"

namespace {
std::mutex lock;
void wait() {
  std::uint32_t result = 0;
  for (const int begins : {1, 0}) {
    standinCall(begins, CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020, 1, nullptr,
                &result);
  }
}
}  // namespace

extern "C" {
/// As an allocation that finds no memory: it waits until blocks that are in use come free.
__attribute__((visibility("default"))) void standinAllocate() {
  const std::lock_guard<std::mutex> held(lock);
  wait();
}
/// As a tensor that is freed, on a thread that holds Python's lock.
__attribute__((visibility("default"))) void standinFree() { const std::lock_guard<std::mutex> held(lock); }
}
