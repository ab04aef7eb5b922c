#include "cupti/cupti_collector.h"

#include <algorithm>

#include "executor/clock.h"
#include "executor/host_memory.h"

namespace copyscope {
namespace {

constexpr std::size_t bufferBytes = 4u << 20;
constexpr std::size_t spareBuffers = 4;

Memory memoryOf(std::uint8_t kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE:
      return Memory::pageable;
    case CUPTI_ACTIVITY_MEMORY_KIND_PINNED:
      return Memory::pinned;
    case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE:
    case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC:
      return Memory::device;
    default:
      return Memory::unknown;
  }
}

ChannelType channelTypeOf(CUpti_ChannelType type) {
  switch (type) {
    case CUPTI_CHANNEL_TYPE_COMPUTE:
      return ChannelType::compute;
    case CUPTI_CHANNEL_TYPE_ASYNC_MEMCPY:
      return ChannelType::asyncMemcpy;
    default:
      return ChannelType::unknown;
  }
}

/// Reads the fields that records of copies, kernels and memsets share.
template <typename Activity>
ActivityRecord recordOf(const Activity& activity, RowKind kind) {
  ActivityRecord record;
  record.kind = kind;
  record.startNs = static_cast<std::int64_t>(activity.start);
  record.endNs = static_cast<std::int64_t>(activity.end);
  record.streamId = activity.streamId;
  record.correlation = activity.correlationId;
  record.device = activity.deviceId;
  record.graphNode = activity.graphNodeId;
  record.channel = static_cast<std::int32_t>(activity.channelID);
  record.channelType = channelTypeOf(activity.channelType);
  return record;
}

template <typename Activity>
ActivityRecord copyRecord(const Activity& copy) {
  ActivityRecord record = recordOf(copy, RowKind::copy);
  record.bytes = copy.bytes;
  record.src = memoryOf(copy.srcKind);
  record.dst = memoryOf(copy.dstKind);
  return record;
}

ActivityRecord peerRecord(const CUpti_ActivityMemcpyPtoP4& copy) {
  ActivityRecord record = copyRecord(copy);
  record.sourceDevice = static_cast<std::int32_t>(copy.srcDeviceId);
  record.targetDevice = static_cast<std::int32_t>(copy.dstDeviceId);
  return record;
}

}  // namespace

CuptiCollector& CuptiCollector::instance() {
  // Never destroyed, since CUPTI may deliver buffers while the process ends.
  static CuptiCollector* const collector = new CuptiCollector();
  return *collector;
}

std::string CuptiCollector::connect(const CuptiLibrary& library) {
  if (library_ != nullptr) return "";
  // The clock comes first, so that no record is stamped with another.
  ownClock_ = library.registerTimestampCallback(timestamp) == CUPTI_SUCCESS;
  const CUptiResult result = library.registerCallbacks(requested, completed);
  if (result != CUPTI_SUCCESS) return library.describe("cuptiActivityRegisterCallbacks", result);
  library_ = &library;
  const std::lock_guard<std::mutex> lock(mutex_);
  while (spare_.size() < spareBuffers) {
    Pages pages = allocatePages(bufferBytes);
    if (pages == nullptr) break;
    // Touched here, not during a measurement.
    writeContent(pages.get(), bufferBytes, Content{PatternKind::constant, 0, 1, 0});
    spare_.push_back(reinterpret_cast<uint8_t*>(pages.release()));
  }
  return "";
}

void CuptiCollector::align() {
  if (ownClock_ || library_ == nullptr) return;
  std::int64_t narrowest = -1;
  for (int attempt = 0; attempt < 8; ++attempt) {
    std::uint64_t theirs = 0;
    const std::int64_t before = nowNs();
    if (library_->getTimestamp(&theirs) != CUPTI_SUCCESS) return;
    const std::int64_t width = nowNs() - before;
    if (narrowest >= 0 && width >= narrowest) continue;
    narrowest = width;
    offsetNs_ = before + width / 2 - static_cast<std::int64_t>(theirs);
  }
}

void CuptiCollector::clear() {
  const std::lock_guard<std::mutex> lock(mutex_);
  records_.clear();
  lost_ = false;
}

std::size_t CuptiCollector::count(const std::vector<std::uint32_t>& streamIds) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return static_cast<std::size_t>(std::count_if(records_.begin(), records_.end(), [&](const ActivityRecord& record) {
    return std::find(streamIds.begin(), streamIds.end(), record.streamId) != streamIds.end();
  }));
}

std::vector<ActivityRecord> CuptiCollector::take(bool& lost) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<ActivityRecord> taken;
  taken.swap(records_);
  for (ActivityRecord& record : taken) {
    record.startNs += offsetNs_;
    record.endNs += offsetNs_;
  }
  lost = lost_;
  return taken;
}

uint64_t CUPTIAPI CuptiCollector::timestamp() { return static_cast<uint64_t>(nowNs()); }

void CUPTIAPI CuptiCollector::requested(uint8_t** buffer, size_t* size, size_t* maxRecords) {
  CuptiCollector& collector = instance();
  *maxRecords = 0;
  *size = bufferBytes;
  {
    const std::lock_guard<std::mutex> lock(collector.mutex_);
    if (!collector.spare_.empty()) {
      *buffer = collector.spare_.back();
      collector.spare_.pop_back();
      return;
    }
  }
  // Without a buffer CUPTI drops the records, and counts them.
  *buffer = reinterpret_cast<uint8_t*>(allocatePages(bufferBytes).release());
  if (*buffer == nullptr) *size = 0;
}

void CUPTIAPI CuptiCollector::completed(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t validSize) {
  CuptiCollector& collector = instance();
  if (buffer == nullptr) return;
  const std::lock_guard<std::mutex> lock(collector.mutex_);
  try {
    collector.read(buffer, validSize);
    collector.spare_.push_back(buffer);
  } catch (const std::bad_alloc&) {
    collector.lost_ = true;
  }
}

void CuptiCollector::read(uint8_t* buffer, std::size_t validSize) {
  CUpti_Activity* activity = nullptr;
  while (library_->getNextRecord(buffer, validSize, &activity) == CUPTI_SUCCESS) add(activity);
  std::size_t dropped = 0;
  if (library_->getNumDroppedRecords(nullptr, 0, &dropped) == CUPTI_SUCCESS && dropped > 0) lost_ = true;
}

/// The structures are those of the CUPTI version of the build; CuptiLibrary refuses a library with others.
void CuptiCollector::add(const CUpti_Activity* activity) {
  switch (activity->kind) {
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      records_.push_back(copyRecord(*reinterpret_cast<const CUpti_ActivityMemcpy6*>(activity)));
      return;
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      records_.push_back(peerRecord(*reinterpret_cast<const CUpti_ActivityMemcpyPtoP4*>(activity)));
      return;
    case CUPTI_ACTIVITY_KIND_MEMSET: {
      const auto& memset = *reinterpret_cast<const CUpti_ActivityMemset4*>(activity);
      ActivityRecord record = recordOf(memset, RowKind::memset);
      record.bytes = memset.bytes;
      record.dst = memoryOf(static_cast<std::uint8_t>(memset.memoryKind));
      records_.push_back(record);
      return;
    }
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
    case CUPTI_ACTIVITY_KIND_KERNEL:
      records_.push_back(recordOf(*reinterpret_cast<const CUpti_ActivityKernel10*>(activity), RowKind::kernel));
      return;
    default:
      return;
  }
}

}  // namespace copyscope
