#include "cuda/event_recorder.h"

#include <algorithm>
#include <limits>

#include "cuda/device_scope.h"
#include "executor/clock.h"

namespace copyscope {
namespace {

constexpr std::uint64_t mostEvents = 400000;
/// Number of times that the base is recorded; the one that took the host the shortest time is kept.
constexpr int alignments = 8;

}  // namespace

void EventRecorder::begin(const Counts& counts) {
  std::uint64_t total = 0;
  for (const std::uint64_t rows : counts.streamRows) total += 2 * rows;
  if (total > mostEvents) {
    throw Failure("run.too-many-rows",
                  "Timing with CUDA events would take " + std::to_string(total) + " events; at most " +
                      std::to_string(mostEvents) + " are made.",
                  "Lower the repeat counts, or install CUPTI.", "threads");
  }
  for (std::size_t stream = 0; stream < counts.streamRows.size(); ++stream) {
    const DeviceScope scope(streams_.ordinals[stream]);
    Base& base = bases_[streams_.ordinals[stream]];
    if (base.service.get() == nullptr) base.service = createStream(true);
    std::vector<OwnedEvent> pool;
    for (std::uint64_t index = 0; index < 2 * counts.streamRows[stream]; ++index) pool.push_back(createEvent(true));
    events_.push_back(std::move(pool));
  }
}

void EventRecorder::beginIteration() {
  for (auto& [ordinal, base] : bases_) {
    const DeviceScope scope(ordinal);
    align(base);
  }
}

void EventRecorder::align(Base& base) {
  base.uncertaintyNs = std::numeric_limits<std::int64_t>::max();
  for (int attempt = 0; attempt < alignments; ++attempt) {
    OwnedEvent event = createEvent(true);
    const std::int64_t before = nowNs();
    check(cudaEventRecord(event.get(), base.service.get()), "cudaEventRecord");
    check(cudaEventSynchronize(event.get()), "cudaEventSynchronize");
    const std::int64_t after = nowNs();
    if (after - before >= base.uncertaintyNs) continue;
    base.uncertaintyNs = after - before;
    base.ns = before + (after - before) / 2;
    base.event = std::move(event);
  }
}

void EventRecorder::before(int stream, std::size_t position) {
  const auto index = static_cast<std::size_t>(stream);
  check(cudaEventRecord(events_[index][2 * position].get(), streams_.handles[index]), "cudaEventRecord");
}

void EventRecorder::after(int stream, std::size_t position) {
  const auto index = static_cast<std::size_t>(stream);
  check(cudaEventRecord(events_[index][2 * position + 1].get(), streams_.handles[index]), "cudaEventRecord");
}

void EventRecorder::endIteration(int iteration, const std::vector<std::vector<Issued>>& issued) {
  const Program& program = *streams_.program;
  for (std::size_t stream = 0; stream < issued.size(); ++stream) {
    const Base& base = bases_.at(streams_.ordinals[stream]);
    for (std::size_t position = 0; position < issued[stream].size(); ++position) {
      const Issued& one = issued[stream][position];
      if (one.graph != nullptr) {
        leftGraphsOut_ = true;
        continue;
      }
      DeviceRow row;
      describeActivity(program, *one.instruction, row);
      row.startNs = timeOf(events_[stream][2 * position].get(), base);
      row.durationNs = timeOf(events_[stream][2 * position + 1].get(), base) - row.startNs;
      row.op = one.instruction->op;
      row.correlation = one.correlation;
      row.iteration = iteration;
      row.stream = static_cast<std::int32_t>(stream);
      rows_.push_back(row);
    }
  }
}

void EventRecorder::recordedSoFar(std::vector<DeviceRow>& rows) const {
  rows.insert(rows.end(), rows_.begin(), rows_.end());
}

void EventRecorder::end(std::vector<DeviceRow>& rows) { recordedSoFar(rows); }

std::int64_t EventRecorder::timeOf(cudaEvent_t event, const Base& base) const {
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, base.event.get(), event), "cudaEventElapsedTime");
  return base.ns + static_cast<std::int64_t>(static_cast<double>(milliseconds) * 1e6);
}

std::vector<std::string> EventRecorder::notes() const {
  std::int64_t uncertaintyNs = 0;
  for (const auto& [ordinal, base] : bases_) uncertaintyNs = std::max(uncertaintyNs, base.uncertaintyNs);
  std::vector<std::string> notes{
      "Device times come from CUDA events around each operation. They include what the events themselves take, and "
      "lie within " +
      std::to_string((uncertaintyNs + 1999) / 2000) + " µs of the host's clock."};
  if (leftGraphsOut_) notes.push_back("Without CUPTI, the operations of launched graphs have no device times.");
  return notes;
}

}  // namespace copyscope
