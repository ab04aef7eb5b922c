#include "cupti/cupti_recorder.h"

#include <algorithm>
#include <iterator>

#include "cuda/cuda_calls.h"
#include "cupti/cupti_collector.h"
#include "cupti/graph_join.h"
#include "executor/clock.h"
#include "executor/failure.h"

namespace copyscope {
namespace {

// No runtime calls: recording them costs microseconds each, and the executor times them itself. Nodes of graphs are
// recorded one by one if graph launches are not recorded as a whole.
constexpr CUpti_ActivityKind recordedKinds[] = {CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY2,
                                                CUPTI_ACTIVITY_KIND_MEMSET, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL};
constexpr std::size_t mostNotes = 20;

/// Returns the calling thread's context from the driver; null if unavailable.
CUcontext currentContext() {
  using GetCurrent = CUresult (*)(CUcontext*);
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  const cudaError_t result = cudaGetDriverEntryPointByVersion("cuCtxGetCurrent", &entry, 4000, cudaEnableDefault, &found);
  if (result != cudaSuccess || found != cudaDriverEntryPointSuccess) return nullptr;
  CUcontext context = nullptr;
  return reinterpret_cast<GetCurrent>(entry)(&context) == CUDA_SUCCESS ? context : nullptr;
}

}  // namespace

CuptiRecorder::CuptiRecorder(const CuptiLibrary& library, const StreamHandles& streams)
    : library_(library),
      streams_(streams),
      streamIds_(streams.handles.size()),
      identified_(streams.handles.size()) {
  const std::string problem = CuptiCollector::instance().connect(library);
  if (!problem.empty()) throw Failure("engine.cupti", problem + ".");
}

CuptiRecorder::~CuptiRecorder() { disableAll(); }

/// Default streams have no handle of their own: null in a context means the legacy one or, with the flag, this
/// thread's.
void CuptiRecorder::identify(int stream) {
  const auto index = static_cast<std::size_t>(stream);
  const Stream& declared = streams_.program->streams[index];
  const bool perThread = declared.kind == StreamKind::perThreadDefault;
  const bool isDefault = perThread || declared.kind == StreamKind::legacyDefault;
  std::uint32_t id = 0;
  const CUptiResult result = isDefault ? library_.getStreamId(currentContext(), nullptr, perThread ? 1 : 0, &id)
                                       : library_.getStreamId(nullptr, streams_.handles[index], 0, &id);
  const std::lock_guard<std::mutex> lock(mutex_);
  if (result == CUPTI_SUCCESS) {
    streamIds_[index] = id;
    identified_[index] = true;
  } else {
    note("Stream " + declared.id + " has no device times: " + library_.describe("cuptiGetStreamIdEx", result) + ".");
  }
}

void CuptiRecorder::begin(const Counts&) {
  // Set first, so that kinds enabled before a failure are disabled again.
  enabled_ = true;
  for (const CUpti_ActivityKind kind : recordedKinds) require(library_.enable(kind), "cuptiActivityEnable");
  CuptiCollector::instance().clear();
  CuptiCollector::instance().align();
  if (!CuptiCollector::instance().hasOwnClock()) {
    note("CUPTI did not take the executor's clock: device times were brought to it by comparing the two clocks.");
  }
}

void CuptiRecorder::beginIteration() { startNs_ = nowNs(); }

/// Records stay with CUPTI until the last iteration has ended, since a flush slows the next copy and kernel.
void CuptiRecorder::endIteration(int iteration, const std::vector<std::vector<Issued>>& issued) {
  windows_.push_back({iteration, startNs_, nowNs(), issued});
}

void CuptiRecorder::end(std::vector<DeviceRow>& rows) {
  const std::vector<ActivityRecord> records = collect();
  for (const Window& window : windows_) join(window, records, rows);
  disableAll();
}

std::vector<ActivityRecord> CuptiRecorder::collect() {
  CuptiCollector& collector = CuptiCollector::instance();
  std::size_t expected = 0;
  bool hasLaunches = false;
  for (const Window& window : windows_) {
    hasLaunches = hasLaunches || !launchesIn(window.issued).empty();
    for (const auto& operations : window.issued) expected += operations.size();
  }
  require(library_.flushAll(0), "cuptiActivityFlushAll");
  if (hasLaunches || collector.count(streamIds_) < expected) {
    require(library_.flushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), "cuptiActivityFlushAll");
  }
  bool lost = false;
  std::vector<ActivityRecord> records = collector.take(lost);
  if (lost) note("CUPTI dropped records.");
  return records;
}

StreamKey CuptiRecorder::keyOf(std::size_t stream) const {
  return {static_cast<std::uint32_t>(streams_.ordinals[stream]), streamIds_[stream]};
}

void CuptiRecorder::join(const Window& window, const std::vector<ActivityRecord>& all, std::vector<DeviceRow>& rows) {
  std::vector<ActivityRecord> records;
  std::copy_if(all.begin(), all.end(), std::back_inserter(records), [&](const ActivityRecord& record) {
    return record.startNs >= window.startNs && record.startNs <= window.endNs;
  });
  std::vector<StreamKey> known;
  for (std::size_t stream = 0; stream < window.issued.size(); ++stream) {
    if (identified_[stream]) known.push_back(keyOf(stream));
  }
  for (std::size_t stream = 0; stream < window.issued.size(); ++stream) {
    if (!identified_[stream]) continue;
    const IssuedStream one{static_cast<std::int32_t>(stream), keyOf(stream), &window.issued[stream]};
    note(joinActivities(*streams_.program, one, records, known, window.iteration, rows));
  }
  const std::vector<GraphLaunch> launches = launchesIn(window.issued);
  if (!launches.empty()) note(joinGraphLaunches(*streams_.program, launches, records, window.iteration, rows));
}

void CuptiRecorder::require(CUptiResult result, const char* call) const {
  if (result != CUPTI_SUCCESS) throw Failure("engine.cupti", library_.describe(call, result) + ".");
}

void CuptiRecorder::disableAll() noexcept {
  if (!enabled_) return;
  enabled_ = false;
  for (const CUpti_ActivityKind kind : recordedKinds) static_cast<void>(library_.disable(kind));
  static_cast<void>(library_.flushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED));
  CuptiCollector::instance().clear();
}

void CuptiRecorder::note(const std::string& text) {
  if (!text.empty() && notes_.size() < mostNotes) notes_.push_back(text);
}

}  // namespace copyscope
