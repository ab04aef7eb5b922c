#include "activity_join.h"

#include <algorithm>

namespace copyscope {
namespace {

RowKind kindOf(const Instruction& instruction) {
  return instruction.code == Code::copy ? RowKind::copy : RowKind::kernel;
}

bool agree(const Instruction& instruction, const ActivityRecord& record) {
  if (kindOf(instruction) != record.kind) return false;
  return record.kind != RowKind::copy || instruction.bytes == record.bytes;
}

/// Copies between host buffers, and of nothing, need not show up on the device.
bool mayBeUnrecorded(const Program& program, const Instruction& instruction) {
  if (instruction.code != Code::copy) return false;
  const bool onHost = !isDevice(program.buffers[static_cast<std::size_t>(instruction.src)]) &&
                      !isDevice(program.buffers[static_cast<std::size_t>(instruction.dst)]);
  return onHost || instruction.bytes == 0;
}

/// The stream's records in order. Parts of one copy, which bear one number, become one record.
std::vector<ActivityRecord> recordsOf(std::uint32_t streamId, const std::vector<ActivityRecord>& records) {
  std::vector<ActivityRecord> mine;
  std::copy_if(records.begin(), records.end(), std::back_inserter(mine),
               [streamId](const ActivityRecord& record) { return record.streamId == streamId; });
  std::sort(mine.begin(), mine.end(), [](const ActivityRecord& a, const ActivityRecord& b) {
    return a.startNs != b.startNs ? a.startNs < b.startNs : a.correlation < b.correlation;
  });
  std::vector<ActivityRecord> whole;
  for (const ActivityRecord& record : mine) {
    const bool continues = !whole.empty() && record.kind == RowKind::copy && whole.back().kind == RowKind::copy &&
                           record.correlation == whole.back().correlation;
    if (!continues) {
      whole.push_back(record);
      continue;
    }
    whole.back().bytes += record.bytes;
    whole.back().endNs = std::max(whole.back().endNs, record.endNs);
  }
  return whole;
}

DeviceRow rowOf(const Program& program, const IssuedStream& stream, const Issued& issued, const ActivityRecord& record,
                std::int32_t iteration) {
  const Instruction& instruction = *issued.instruction;
  const bool isCopy = record.kind == RowKind::copy;
  const auto memoryOf = [&](Memory recorded, std::int32_t buffer) {
    if (!isCopy) return Memory::none;
    return recorded == Memory::unknown ? program.buffers[static_cast<std::size_t>(buffer)].memory : recorded;
  };
  DeviceRow row;
  row.startNs = record.startNs;
  row.durationNs = record.endNs - record.startNs;
  row.bytes = instruction.bytes;
  row.op = instruction.op;
  row.correlation = issued.correlation;
  row.iteration = iteration;
  row.stream = stream.stream;
  row.channel = record.channel;
  row.kind = record.kind;
  row.src = memoryOf(record.src, instruction.src);
  row.dst = memoryOf(record.dst, instruction.dst);
  row.channelType = record.channelType;
  return row;
}

std::string disagreement(const Program& program, const IssuedStream& stream, std::int32_t iteration, std::size_t issued,
                         std::size_t recorded) {
  return "Stream " + program.streams[static_cast<std::size_t>(stream.stream)].id + ", iteration " +
         std::to_string(iteration) + ": the " + std::to_string(recorded) + " recorded activities don't match the " +
         std::to_string(issued) + " operations issued, so its device times are left out.";
}

}  // namespace

std::string joinActivities(const Program& program, const IssuedStream& stream,
                           const std::vector<ActivityRecord>& records, std::int32_t iteration,
                           std::vector<DeviceRow>& rows) {
  const std::vector<ActivityRecord> mine = recordsOf(stream.streamId, records);
  std::vector<DeviceRow> joined;
  std::size_t next = 0;
  for (const Issued& issued : *stream.issued) {
    if (next < mine.size() && agree(*issued.instruction, mine[next])) {
      joined.push_back(rowOf(program, stream, issued, mine[next], iteration));
      ++next;
    } else if (!mayBeUnrecorded(program, *issued.instruction)) {
      return disagreement(program, stream, iteration, stream.issued->size(), mine.size());
    }
  }
  if (next < mine.size()) return disagreement(program, stream, iteration, stream.issued->size(), mine.size());
  rows.insert(rows.end(), joined.begin(), joined.end());
  return "";
}

}  // namespace copyscope
