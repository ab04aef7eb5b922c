#include "activities.h"

#include <cxxabi.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "executor/clock.h"
#include "recorder.h"

namespace copyscope::record {
namespace {

/// Small buffers return soon, since one is delivered when all of its activities are done.
constexpr std::size_t bufferBytes = 256u << 10;
/// 64 MiB of buffers; beyond that CUPTI drops records, and counts them.
constexpr int mostBuffers = 256;
/// Buffers made in advance, since each recording thread needs one.
constexpr std::size_t readyBuffers = 16;

constexpr std::array<CUpti_ActivityKind, 3> lightKinds = {CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY2,
                                                          CUPTI_ACTIVITY_KIND_MEMSET};
/// Records of awaited events show how kernels and copies were ordered. They cost each waiting call 0.2 us.
constexpr std::array<CUpti_ActivityKind, 3> otherKinds = {
    CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, CUPTI_ACTIVITY_KIND_CUDA_EVENT, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL};

/// Returns false for kinds that an older driver or a small build may lack; the others go on.
bool isNeeded(CUpti_ActivityKind kind) {
  return kind == CUPTI_ACTIVITY_KIND_MEMCPY || kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
}

struct Pool {
  std::mutex mutex;
  std::vector<std::uint8_t*> spare;
  int made = 0;
};

/// Never destroyed, since CUPTI may deliver buffers while the process ends.
Pool& pool() {
  static auto* const all = new Pool();
  return *all;
}

std::uint64_t CUPTIAPI timestamp() { return static_cast<std::uint64_t>(nowNs()); }

/// Writes zeros to all pages, so that the recording thread has no page faults.
std::uint8_t* makeBuffer() {
  auto* const buffer = static_cast<std::uint8_t*>(std::aligned_alloc(64, bufferBytes));
  if (buffer != nullptr) std::memset(buffer, 0, bufferBytes);
  return buffer;
}

void CUPTIAPI requested(std::uint8_t** buffer, std::size_t* size, std::size_t* maxRecords) {
  *maxRecords = 0;
  *size = bufferBytes;
  *buffer = nullptr;
  Pool& all = pool();
  const std::lock_guard<std::mutex> lock(all.mutex);
  if (!all.spare.empty()) {
    *buffer = all.spare.back();
    all.spare.pop_back();
    return;
  }
  if (all.made < mostBuffers) *buffer = makeBuffer();
  if (*buffer == nullptr) {
    *size = 0;
  } else {
    ++all.made;
  }
}

/// Demangles each name once. CUPTI keeps a kernel's name at its address, but an unloaded module's address may be
/// reused.
std::uint32_t kernelName(ChunkWriter& writer, const char* name) {
  if (name == nullptr) return writer.text("kernel");
  static auto* const mutex = new std::mutex();
  static auto* const known = new std::unordered_map<std::string, std::uint32_t>();
  const std::lock_guard<std::mutex> lock(*mutex);
  const auto found = known->find(name);
  if (found != known->end()) return found->second;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> readable(abi::__cxa_demangle(name, nullptr, nullptr, &status),
                                                             std::free);
  const std::uint32_t number = writer.text(status == 0 && readable != nullptr ? readable.get() : name);
  known->emplace(name, number);
  return number;
}

template <typename Activity>
RecordBuffer copyRecord(const Activity& copy, std::uint32_t source, std::uint32_t target) {
  RecordBuffer record(RecordKind::copy);
  record.u64(copy.start).u64(copy.end).u64(copy.bytes).u32(copy.deviceId).u32(copy.streamId).u32(copy.correlationId);
  record.u32(copy.contextId).i32(static_cast<std::int32_t>(copy.channelID));
  record.u8(static_cast<std::uint8_t>(copy.channelType)).u8(copy.copyKind).u8(copy.srcKind).u8(copy.dstKind);
  record.u32(source).u32(target).u32(copy.graphId);
  return record;
}

/// The structures are those of the CUPTI version of the build; CuptiLibrary refuses a library with others.
void take(ChunkWriter& writer, const CUpti_Activity* activity) {
  switch (activity->kind) {
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
      const auto& copy = *reinterpret_cast<const CUpti_ActivityMemcpy6*>(activity);
      RecordBuffer record = copyRecord(copy, copy.deviceId, copy.deviceId);
      return writer.append(record);
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY2: {
      const auto& copy = *reinterpret_cast<const CUpti_ActivityMemcpyPtoP4*>(activity);
      RecordBuffer record = copyRecord(copy, copy.srcDeviceId, copy.dstDeviceId);
      return writer.append(record);
    }
    case CUPTI_ACTIVITY_KIND_MEMSET: {
      const auto& set = *reinterpret_cast<const CUpti_ActivityMemset4*>(activity);
      RecordBuffer record(RecordKind::memset);
      record.u64(set.start).u64(set.end).u64(set.bytes).u32(set.deviceId).u32(set.streamId).u32(set.correlationId);
      record.u32(set.contextId).u8(static_cast<std::uint8_t>(set.memoryKind)).u32(set.graphId);
      return writer.append(record);
    }
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
    case CUPTI_ACTIVITY_KIND_KERNEL: {
      const auto& kernel = *reinterpret_cast<const CUpti_ActivityKernel10*>(activity);
      const std::uint32_t name = kernelName(writer, kernel.name);
      RecordBuffer record(RecordKind::kernel);
      record.u64(kernel.start).u64(kernel.end).u32(name).u32(kernel.deviceId).u32(kernel.streamId);
      record.u32(kernel.correlationId).u32(kernel.contextId).u32(kernel.graphId);
      return writer.append(record);
    }
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION: {
      const auto& wait = *reinterpret_cast<const CUpti_ActivitySynchronization2*>(activity);
      RecordBuffer record(RecordKind::synchronisation);
      record.u64(wait.start).u64(wait.end).u8(static_cast<std::uint8_t>(wait.type)).u32(wait.streamId);
      record.u32(wait.correlationId).u32(wait.contextId).u32(wait.cudaEventId).u64(wait.cudaEventSyncId);
      return writer.append(record);
    }
    case CUPTI_ACTIVITY_KIND_CUDA_EVENT: {
      const auto& event = *reinterpret_cast<const CUpti_ActivityCudaEvent2*>(activity);
      RecordBuffer record(RecordKind::eventRecord);
      record.u32(event.eventId).u64(event.cudaEventSyncId).u32(event.streamId).u32(event.correlationId);
      record.u32(event.contextId).u32(event.deviceId);
      return writer.append(record);
    }
    case CUPTI_ACTIVITY_KIND_DEVICE: {
      const auto& device = *reinterpret_cast<const CUpti_ActivityDevice5*>(activity);
      const std::uint32_t name = writer.text(device.name == nullptr ? "GPU" : device.name);
      RecordBuffer record(RecordKind::device);
      record.u32(device.id).u32(name).u32(device.computeCapabilityMajor).u32(device.computeCapabilityMinor);
      record.u32(device.numMultiprocessors).u32(device.numMemcpyEngines).u64(device.globalMemorySize);
      return writer.append(record);
    }
    default:
      return;
  }
}

void CUPTIAPI completed(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t validSize) {
  if (buffer == nullptr) return;
  const CuptiLibrary& cupti = CuptiLibrary::instance();
  try {
    if (ChunkWriter* const writer = Recorder::instance().writer(); writer != nullptr) {
      CUpti_Activity* activity = nullptr;
      while (cupti.getNextRecord(buffer, validSize, &activity) == CUPTI_SUCCESS) take(*writer, activity);
      std::size_t dropped = 0;
      if (cupti.getNumDroppedRecords(nullptr, 0, &dropped) == CUPTI_SUCCESS) writer->addDropped(dropped);
    }
    std::memset(buffer, 0, validSize < bufferBytes ? validSize : bufferBytes);
    Pool& all = pool();
    const std::lock_guard<std::mutex> lock(all.mutex);
    all.spare.push_back(buffer);
  } catch (...) {
    // Without memory the rest of the buffer is not recorded, and the program goes on.
  }
}

/// Buffers come zeroed; unless CUPTI knows that, it zeroes them again on the program's thread.
void prepareBuffers(const CuptiLibrary& cupti) {
  if (cupti.setAttribute == nullptr) return;
  std::uint8_t areZeroed = 1;
  std::size_t size = sizeof areZeroed;
  cupti.setAttribute(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, &size, &areZeroed);
  makeBuffersReady();
}

}  // namespace

std::string connectActivities(const CuptiLibrary& cupti) {
  prepareBuffers(cupti);
  // The clock comes first, so that no record is stamped with another.
  CUptiResult result = cupti.registerTimestampCallback(timestamp);
  if (result != CUPTI_SUCCESS) return cupti.describe("cuptiActivityRegisterTimestampCallback", result);
  result = cupti.registerCallbacks(requested, completed);
  if (result != CUPTI_SUCCESS) return cupti.describe("cuptiActivityRegisterCallbacks", result);
  // Devices are reported when their context is made, which may be long before the first recorded step.
  cupti.enable(CUPTI_ACTIVITY_KIND_DEVICE);
  return "";
}

void makeBuffersReady() {
  Pool& all = pool();
  for (;;) {
    {
      const std::lock_guard<std::mutex> lock(all.mutex);
      if (all.spare.size() >= readyBuffers || all.made >= mostBuffers) return;
      ++all.made;
    }
    std::uint8_t* const buffer = makeBuffer();
    const std::lock_guard<std::mutex> lock(all.mutex);
    if (buffer == nullptr) {
      --all.made;
      return;
    }
    all.spare.push_back(buffer);
  }
}

std::string enableActivities(const CuptiLibrary& cupti, bool light) {
  std::vector<CUpti_ActivityKind> kinds(lightKinds.begin(), lightKinds.end());
  if (!light) kinds.insert(kinds.end(), otherKinds.begin(), otherKinds.end());
  for (const CUpti_ActivityKind kind : kinds) {
    const CUptiResult result = cupti.enable(kind);
    if (result != CUPTI_SUCCESS && isNeeded(kind)) return cupti.describe("cuptiActivityEnable", result);
  }
  return "";
}

void disableActivities(const CuptiLibrary& cupti) {
  for (const CUpti_ActivityKind kind : lightKinds) cupti.disable(kind);
  for (const CUpti_ActivityKind kind : otherKinds) cupti.disable(kind);
}

void disableWaits(const CuptiLibrary& cupti) { cupti.disable(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION); }

void disconnectActivities(const CuptiLibrary& cupti) { cupti.disable(CUPTI_ACTIVITY_KIND_DEVICE); }

}  // namespace copyscope::record
