#include "event_recorder.h"

#include <limits>

#include "clock.h"

namespace copyscope {
namespace {

constexpr std::uint64_t mostEvents = 400000;
/// The base is recorded this often, and the occasion that took the host the least time is kept.
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
  base_ = createEvent(true);
  for (const std::uint64_t rows : counts.streamRows) {
    std::vector<OwnedEvent> pool;
    for (std::uint64_t index = 0; index < 2 * rows; ++index) pool.push_back(createEvent(true));
    events_.push_back(std::move(pool));
  }
}

void EventRecorder::beginIteration() {
  uncertaintyNs_ = std::numeric_limits<std::int64_t>::max();
  for (int attempt = 0; attempt < alignments; ++attempt) {
    OwnedEvent event = createEvent(true);
    const std::int64_t before = nowNs();
    check(cudaEventRecord(event.get(), service_), "cudaEventRecord");
    check(cudaEventSynchronize(event.get()), "cudaEventSynchronize");
    const std::int64_t after = nowNs();
    if (after - before >= uncertaintyNs_) continue;
    uncertaintyNs_ = after - before;
    baseNs_ = before + (after - before) / 2;
    base_ = std::move(event);
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
    for (std::size_t position = 0; position < issued[stream].size(); ++position) {
      const Instruction& instruction = *issued[stream][position].instruction;
      DeviceRow row;
      row.kind = instruction.code == Code::copy ? RowKind::copy : RowKind::kernel;
      row.startNs = timeOf(events_[stream][2 * position].get());
      row.durationNs = timeOf(events_[stream][2 * position + 1].get()) - row.startNs;
      row.bytes = instruction.bytes;
      row.op = instruction.op;
      row.correlation = issued[stream][position].correlation;
      row.iteration = iteration;
      row.stream = static_cast<std::int32_t>(stream);
      if (row.kind == RowKind::copy) {
        row.src = program.buffers[static_cast<std::size_t>(instruction.src)].memory;
        row.dst = program.buffers[static_cast<std::size_t>(instruction.dst)].memory;
      }
      rows_.push_back(row);
    }
  }
}

void EventRecorder::end(std::vector<DeviceRow>& rows) { rows.insert(rows.end(), rows_.begin(), rows_.end()); }

std::int64_t EventRecorder::timeOf(cudaEvent_t event) const {
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, base_.get(), event), "cudaEventElapsedTime");
  return baseNs_ + static_cast<std::int64_t>(static_cast<double>(milliseconds) * 1e6);
}

std::vector<std::string> EventRecorder::notes() const {
  return {"Device times come from CUDA events around each operation. They include what the events themselves take, and "
          "lie within " +
          std::to_string((uncertaintyNs_ + 1999) / 2000) + " µs of the host's clock."};
}

}  // namespace copyscope
