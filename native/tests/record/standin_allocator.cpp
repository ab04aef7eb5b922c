// Replaces PyTorch's allocator, whose library is known by its name: it has a lock, and waits for the device with the
// lock held.
#include <chrono>
#include <mutex>
#include <thread>

#include "standin_cupti.h"

namespace {
std::mutex lock;
/// Leaves time for another thread to want the lock.
void callWithLock(CUpti_CallbackId id) {
  const std::lock_guard<std::mutex> held(lock);
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::uint32_t result = 0;
  for (const int begins : {1, 0}) standinCall(begins, CUPTI_CB_DOMAIN_RUNTIME_API, id, 1, nullptr, &result);
}
}  // namespace

extern "C" {
/// Like an allocation that finds no memory: it waits until used blocks become free.
__attribute__((visibility("default"))) void standinAllocate() {
  callWithLock(CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020);
}
/// Copies under the lock, which no known program does.
__attribute__((visibility("default"))) void standinCopy() {
  callWithLock(CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020);
}
/// Like the freeing of a tensor, on a thread that holds Python's lock.
__attribute__((visibility("default"))) void standinFree() { const std::lock_guard<std::mutex> held(lock); }
}
