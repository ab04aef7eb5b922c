#include "cupti_recorder.h"

#include "cupti_collector.h"
#include "failure.h"

namespace copyscope {
namespace {

// No runtime calls: recording them costs microseconds each, and the executor times them itself.
constexpr CUpti_ActivityKind recordedKinds[] = {CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL};
constexpr std::size_t mostNotes = 20;

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

/// Default streams have no handle of their own: null means the legacy or, with the flag, this thread's one.
void CuptiRecorder::identify(int stream) {
  const auto index = static_cast<std::size_t>(stream);
  const Stream& declared = streams_.program->streams[index];
  const bool perThread = declared.kind == StreamKind::perThreadDefault;
  const bool isDefault = perThread || declared.kind == StreamKind::legacyDefault;
  const auto handle = isDefault ? nullptr : streams_.handles[index];
  std::uint32_t id = 0;
  const CUptiResult result = library_.getStreamId(nullptr, handle, perThread ? 1 : 0, &id);
  const std::lock_guard<std::mutex> lock(mutex_);
  if (result == CUPTI_SUCCESS) {
    streamIds_[index] = id;
    identified_[index] = true;
  } else {
    note("Stream " + declared.id + " has no device times: " + library_.describe("cuptiGetStreamIdEx", result) + ".");
  }
}

void CuptiRecorder::begin(const Counts&) {
  for (const CUpti_ActivityKind kind : recordedKinds) require(library_.enable(kind), "cuptiActivityEnable");
  enabled_ = true;
  if (!CuptiCollector::instance().hasOwnClock()) {
    note("CUPTI did not take the executor's clock: device times were brought to it by comparing the two clocks.");
  }
}

void CuptiRecorder::beginIteration() {
  // What lies between the iterations is delivered and dropped.
  require(library_.flushAll(0), "cuptiActivityFlushAll");
  CuptiCollector::instance().clear();
  CuptiCollector::instance().align();
}

void CuptiRecorder::endIteration(int iteration, const std::vector<std::vector<Issued>>& issued,
                                 std::vector<DeviceRow>& rows) {
  CuptiCollector& collector = CuptiCollector::instance();
  std::size_t expected = 0;
  for (const auto& operations : issued) expected += operations.size();
  require(library_.flushAll(0), "cuptiActivityFlushAll");
  if (collector.count(streamIds_) < expected) {
    require(library_.flushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), "cuptiActivityFlushAll");
  }
  bool lost = false;
  const std::vector<ActivityRecord> records = collector.take(lost);
  if (lost) note("Iteration " + std::to_string(iteration) + ": CUPTI dropped records.");
  for (std::size_t stream = 0; stream < issued.size(); ++stream) {
    if (!identified_[stream]) continue;
    const IssuedStream one{static_cast<std::int32_t>(stream), streamIds_[stream], &issued[stream]};
    note(joinActivities(*streams_.program, one, records, iteration, rows));
  }
}

void CuptiRecorder::end() { disableAll(); }

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
