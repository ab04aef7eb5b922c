// A replacement for libcupti that plays recorded activity: the part of its interface that recording a program needs,
// with its rules for buffers. Built as libcupti.so.13, so that the recorder's library finds it like the real one.
// COPYSCOPE_STANDIN_TAKEN names a tool that is subscribed already; COPYSCOPE_STANDIN_VERSION is another version.
#include "standin_cupti.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>

#define STANDIN_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

struct Buffer {
  std::uint8_t* bytes = nullptr;
  std::size_t size = 0;
  std::size_t used = 0;
};

struct Standin {
  std::mutex mutex;
  CUpti_BuffersCallbackRequestFunc request = nullptr;
  CUpti_BuffersCallbackCompleteFunc complete = nullptr;
  std::atomic<CUpti_TimestampCallbackFunc> clock{nullptr};
  std::atomic<CUpti_CallbackFunc> callback{nullptr};
  std::atomic<bool> calls[2][1024] = {};
  std::atomic<bool> kinds[256] = {};
  /// Devices are reported if their kind is enabled before a context is made.
  std::atomic<bool> hasContext{false};
  Buffer open;
  std::size_t dropped = 0;
};
Standin& standin() {
  static auto* const all = new Standin();
  return *all;
}

/// Each record follows its size.
void deliver(Buffer buffer) {
  if (buffer.bytes != nullptr) standin().complete(nullptr, 0, buffer.bytes, buffer.size, buffer.used);
}

Buffer taken() {
  Standin& all = standin();
  const std::lock_guard<std::mutex> lock(all.mutex);
  const Buffer buffer = all.open;
  all.open = {};
  return buffer;
}

/// Kernels whose records were pending when their kind is disabled end late, as with CUPTI 13.0.
void endLate() {
  Standin& all = standin();
  const std::lock_guard<std::mutex> lock(all.mutex);
  std::uint64_t length = 0;
  for (std::size_t at = 0; at < all.open.used; at += 8 + length) {
    std::memcpy(&length, all.open.bytes + at, 8);
    CUpti_ActivityKernel10 kernel{};
    std::memcpy(&kernel, all.open.bytes + at + 8, std::min<std::size_t>(length, sizeof kernel));
    if (kernel.kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) continue;
    kernel.end += 3'000'000;
    std::memcpy(all.open.bytes + at + 8, &kernel, sizeof kernel);
  }
}

std::atomic<bool>& callFlag(CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  return standin().calls[domain == CUPTI_CB_DOMAIN_RUNTIME_API ? 0 : 1][id % 1024];
}

const char* nameOf(CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  if (domain == CUPTI_CB_DOMAIN_RUNTIME_API) {
    switch (id) {
      case CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020:
        return "cudaMemcpyAsync_v3020";
      case CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000:
        return "cudaLaunchKernel_v7000";
      case CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020:
        return "cudaStreamSynchronize_v3020";
      case CUPTI_RUNTIME_TRACE_CBID_cudaHostAlloc_v3020:
        return "cudaHostAlloc_v3020";
      case CUPTI_RUNTIME_TRACE_CBID_cudaGetDevice_v3020:
        return "cudaGetDevice_v3020";
      default:
        return nullptr;
    }
  }
  return id == CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2 ? "cuMemcpyHtoDAsync_v2" : nullptr;
}

}  // namespace

STANDIN_EXPORT void standinCall(int begins, CUpti_CallbackDomain domain, CUpti_CallbackId id, std::uint32_t correlation,
                                const void* params, void* result) {
  standin().hasContext = true;
  const CUpti_CallbackFunc callback = standin().callback.load();
  if (callback == nullptr || !callFlag(domain, id).load()) return;
  CUpti_CallbackData data{};
  data.callbackSite = begins != 0 ? CUPTI_API_ENTER : CUPTI_API_EXIT;
  data.functionName = nameOf(domain, id);
  data.functionParams = params;
  data.functionReturnValue = result;
  data.correlationId = correlation;
  callback(nullptr, domain, id, &data);
}

STANDIN_EXPORT std::uint64_t standinNow() {
  const CUpti_TimestampCallbackFunc clock = standin().clock.load();
  return clock == nullptr ? 0 : clock();
}

STANDIN_EXPORT void standinActivity(const CUpti_Activity* activity, std::size_t size) {
  Standin& all = standin();
  if (!all.kinds[activity->kind % 256].load() || all.request == nullptr) return;
  Buffer full;
  {
    const std::lock_guard<std::mutex> lock(all.mutex);
    if (all.open.bytes != nullptr && all.open.used + 8 + size > all.open.size) {
      full = all.open;
      all.open = {};
    }
    if (all.open.bytes == nullptr) {
      std::size_t most = 0;
      all.request(&all.open.bytes, &all.open.size, &most);
    }
    if (all.open.bytes == nullptr) {
      ++all.dropped;
    } else {
      const std::uint64_t length = size;
      std::memcpy(all.open.bytes + all.open.used, &length, 8);
      std::memcpy(all.open.bytes + all.open.used + 8, activity, size);
      all.open.used += 8 + size;
    }
  }
  deliver(full);
}

STANDIN_EXPORT CUptiResult CUPTIAPI cuptiGetVersion(std::uint32_t* version) {
  const char* const other = std::getenv("COPYSCOPE_STANDIN_VERSION");
  *version = other == nullptr ? CUPTI_API_VERSION : static_cast<std::uint32_t>(std::atoi(other));
  return CUPTI_SUCCESS;
}
STANDIN_EXPORT CUptiResult CUPTIAPI cuptiGetResultString(CUptiResult, const char** name) {
  *name = "CUPTI_ERROR_STANDIN";
  return CUPTI_SUCCESS;
}
STANDIN_EXPORT CUptiResult CUPTIAPI cuptiGetTimestamp(std::uint64_t* now) {
  *now = standinNow();
  return CUPTI_SUCCESS;
}
STANDIN_EXPORT CUptiResult CUPTIAPI cuptiGetStreamIdEx(CUcontext, CUstream, std::uint8_t, std::uint32_t* id) {
  *id = 7;
  return CUPTI_SUCCESS;
}
STANDIN_EXPORT CUptiResult CUPTIAPI cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                                                   CUpti_BuffersCallbackCompleteFunc complete) {
  standin().request = request;
  standin().complete = complete;
  return CUPTI_SUCCESS;
}
STANDIN_EXPORT CUptiResult CUPTIAPI cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc clock) {
  standin().clock = clock;
  return CUPTI_SUCCESS;
}
STANDIN_EXPORT CUptiResult CUPTIAPI cuptiActivityEnable(CUpti_ActivityKind kind) {
  standin().kinds[kind % 256] = true;
  if (kind == CUPTI_ACTIVITY_KIND_DEVICE && !standin().hasContext) {
    CUpti_ActivityDevice5 device{};
    device.kind = CUPTI_ACTIVITY_KIND_DEVICE;
    device.name = "Stand-in GPU";
    device.computeCapabilityMajor = 9;
    device.numMultiprocessors = 132;
    device.numMemcpyEngines = 3;
    device.globalMemorySize = 1ull << 37;
    standinActivity(reinterpret_cast<CUpti_Activity*>(&device), sizeof device);
  }
  return CUPTI_SUCCESS;
}
STANDIN_EXPORT CUptiResult CUPTIAPI cuptiActivityDisable(CUpti_ActivityKind kind) {
  if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) endLate();
  standin().kinds[kind % 256] = false;
  return CUPTI_SUCCESS;
}
STANDIN_EXPORT CUptiResult CUPTIAPI cuptiActivityFlushAll(std::uint32_t) {
  deliver(taken());
  return CUPTI_SUCCESS;
}
STANDIN_EXPORT CUptiResult CUPTIAPI cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t validSize,
                                                               CUpti_Activity** record) {
  std::uint8_t* at = buffer;
  if (*record != nullptr) {
    at = reinterpret_cast<std::uint8_t*>(*record);
    std::uint64_t length = 0;
    std::memcpy(&length, at - 8, 8);
    at += length;
  }
  if (at + 8 >= buffer + validSize) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(at + 8);
  return CUPTI_SUCCESS;
}
STANDIN_EXPORT CUptiResult CUPTIAPI cuptiActivityGetNumDroppedRecords(CUcontext, std::uint32_t, std::size_t* dropped) {
  const std::lock_guard<std::mutex> lock(standin().mutex);
  *dropped = standin().dropped;
  standin().dropped = 0;
  return CUPTI_SUCCESS;
}
STANDIN_EXPORT CUptiResult CUPTIAPI cuptiSubscribe(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc callback, void*) {
  const bool isTaken = std::getenv("COPYSCOPE_STANDIN_TAKEN") != nullptr || standin().callback.load() != nullptr;
  if (isTaken) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  *handle = reinterpret_cast<CUpti_SubscriberHandle>(handle);
  standin().callback = callback;
  return CUPTI_SUCCESS;
}
STANDIN_EXPORT CUptiResult CUPTIAPI cuptiUnsubscribe(CUpti_SubscriberHandle) {
  standin().callback = nullptr;
  return CUPTI_SUCCESS;
}
STANDIN_EXPORT CUptiResult CUPTIAPI cuptiSubscribe_v2(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc callback,
                                                      void* data, CUpti_SubscriberParams* params) {
  const CUptiResult result = cuptiSubscribe(handle, callback, data);
  if (result != CUPTI_SUCCESS) {
    const char* const other = std::getenv("COPYSCOPE_STANDIN_TAKEN");
    std::strncpy(params->oldSubscriberName, other == nullptr ? "Copyscope" : other, params->oldSubscriberSize - 1);
  }
  return result;
}
STANDIN_EXPORT CUptiResult CUPTIAPI cuptiEnableCallback(std::uint32_t enable, CUpti_SubscriberHandle,
                                                        CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  callFlag(domain, id) = enable != 0;
  return CUPTI_SUCCESS;
}
STANDIN_EXPORT CUptiResult CUPTIAPI cuptiGetCallbackName(CUpti_CallbackDomain domain, std::uint32_t id,
                                                         const char** name) {
  *name = nameOf(domain, id);
  return *name == nullptr ? CUPTI_ERROR_INVALID_PARAMETER : CUPTI_SUCCESS;
}
STANDIN_EXPORT CUptiResult CUPTIAPI cuptiActivityFlushPeriod(std::uint32_t) { return CUPTI_SUCCESS; }
