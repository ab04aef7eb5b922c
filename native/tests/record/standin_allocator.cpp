// Stands for PyTorch's allocator, whose library is known by its name: it has a lock, and waits for the device with the lock
// held.
#include <chrono>
#include <mutex>
#include <thread>

#include "standin_cupti.h"

namespace {
std::mutex lock;
/// Leaves time for another thread to come and want the lock.
void callWithLock(CUpti_CallbackId id) {
  const std::lock_guard<std::mutex> held(lock);
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::uint32_t result = 0;
  for (const int begins : {1, 0}) standinCall(begins, CUPTI_CB_DOMAIN_RUNTIME_API, id, 1, nullptr, &result);
}
}  // namespace

extern "C" {
/// As an allocation that finds no memory: it waits until blocks that are in use come free.
__attribute__((visibility("default"))) void standinAllocate() {
  callWithLock(CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020);
}
/// A copy under the lock: no program is known to make one.
__attribute__((visibility("default"))) void standinCopy() {
  callWithLock(CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020);
}
/// As a tensor that is freed, on a thread that holds Python's lock.
__attribute__((visibility("default"))) void standinFree() { const std::lock_guard<std::mutex> held(lock); }
}
