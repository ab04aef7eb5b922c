#include "activity_join.h"

#include <algorithm>
#include <iterator>

namespace copyscope {
namespace {

/// What shows up in the stream's own records: neither marks, nor host functions, nor what a graph runs.
bool isRecorded(const Issued& issued) { return isDeviceWork(issued.instruction->code); }

/// A copy between devices without peer access goes through host memory, and may be recorded on both ways.
bool agreeInBytes(const Program& program, const Instruction& instruction, const ActivityRecord& record) {
  const bool twice = isPeerCopy(program, instruction) && record.bytes == 2 * instruction.bytes;
  return twice || instruction.bytes == record.bytes;
}

/// The profiler tells page-locked memory from pageable, and no more than that.
Memory memoryOf(Memory recorded, Memory declared) {
  const bool finer = recorded == Memory::pinned && isPageLocked(declared);
  return recorded == Memory::unknown || finer ? declared : recorded;
}

/// The stream's records in order, without those of graphs.
std::vector<ActivityRecord> recordsOf(const IssuedStream& stream, const std::vector<ActivityRecord>& records) {
  std::vector<ActivityRecord> mine;
  std::copy_if(records.begin(), records.end(), std::back_inserter(mine), [&](const ActivityRecord& record) {
    return record.streamId == stream.streamId && record.device == stream.device && record.graphNode == 0;
  });
  std::sort(mine.begin(), mine.end(), [](const ActivityRecord& a, const ActivityRecord& b) {
    return a.startNs != b.startNs ? a.startNs < b.startNs : a.correlation < b.correlation;
  });
  return withWholeCopies(mine);
}

std::string disagreement(const Program& program, const IssuedStream& stream, std::int32_t iteration, std::size_t issued,
                         std::size_t recorded) {
  return "Stream " + program.streams[static_cast<std::size_t>(stream.stream)].id + ", iteration " +
         std::to_string(iteration) + ": the " + std::to_string(recorded) + " recorded activities don't match the " +
         std::to_string(issued) + " operations issued, so its device times are left out.";
}

}  // namespace

bool agree(const Program& program, const Instruction& instruction, const ActivityRecord& record) {
  if (rowKindOf(instruction.code) != record.kind) return false;
  return record.kind == RowKind::kernel || agreeInBytes(program, instruction, record);
}

bool mayBeUnrecorded(const Program& program, const Instruction& instruction) {
  if (instruction.code != Code::copy) return false;
  const bool onHost = sourceMemory(program, instruction) != Memory::device &&
                      targetMemory(program, instruction) != Memory::device;
  return onHost || instruction.bytes == 0;
}

std::vector<ActivityRecord> withWholeCopies(const std::vector<ActivityRecord>& records) {
  std::vector<ActivityRecord> whole;
  for (const ActivityRecord& record : records) {
    const bool continues = !whole.empty() && record.kind != RowKind::kernel && whole.back().kind == record.kind &&
                           record.correlation == whole.back().correlation &&
                           record.graphNode == whole.back().graphNode;
    if (!continues) {
      whole.push_back(record);
      continue;
    }
    whole.back().bytes += record.bytes;
    whole.back().endNs = std::max(whole.back().endNs, record.endNs);
  }
  return whole;
}

DeviceRow joinedRow(const Program& program, const Instruction& instruction, const ActivityRecord& record) {
  DeviceRow row;
  describeActivity(program, instruction, row);
  row.startNs = record.startNs;
  row.durationNs = record.endNs - record.startNs;
  row.op = instruction.op;
  row.channel = record.channel;
  row.channelType = record.channelType;
  if (row.kind == RowKind::copy) row.src = memoryOf(record.src, row.src);
  if (row.kind != RowKind::kernel) row.dst = memoryOf(record.dst, row.dst);
  return row;
}

std::string joinActivities(const Program& program, const IssuedStream& stream,
                           const std::vector<ActivityRecord>& records, std::int32_t iteration,
                           std::vector<DeviceRow>& rows) {
  const std::vector<ActivityRecord> mine = recordsOf(stream, records);
  const auto issuedWork = std::count_if(stream.issued->begin(), stream.issued->end(), isRecorded);
  const auto doubt = [&] {
    return disagreement(program, stream, iteration, static_cast<std::size_t>(issuedWork), mine.size());
  };
  std::vector<DeviceRow> joined;
  std::size_t next = 0;
  for (const Issued& issued : *stream.issued) {
    if (!isRecorded(issued)) continue;
    if (next < mine.size() && agree(program, *issued.instruction, mine[next])) {
      DeviceRow row = joinedRow(program, *issued.instruction, mine[next]);
      row.correlation = issued.correlation;
      row.iteration = iteration;
      row.stream = stream.stream;
      joined.push_back(row);
      ++next;
    } else if (!mayBeUnrecorded(program, *issued.instruction)) {
      return doubt();
    }
  }
  if (next < mine.size()) return doubt();
  rows.insert(rows.end(), joined.begin(), joined.end());
  return "";
}

}  // namespace copyscope
