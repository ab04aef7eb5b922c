#include "cupti/activity_join.h"

#include <algorithm>
#include <iterator>

namespace copyscope {
namespace {

/// Returns true for operations in the stream's own records: no marks, host functions, or operations run by a graph.
bool isRecorded(const Issued& issued) { return isDeviceWork(issued.instruction->code); }

/// A copy between devices without peer access goes through host memory, and may be recorded on both ways.
bool agreeInBytes(const Program& program, const Instruction& instruction, const ActivityRecord& record) {
  const bool twice = isPeerCopy(program, instruction) && record.bytes == 2 * instruction.bytes;
  return twice || instruction.bytes == record.bytes;
}

/// The profiler only distinguishes page-locked memory from pageable.
Memory memoryOf(Memory recorded, Memory declared) {
  const bool finer = recorded == Memory::pinned && isPageLocked(declared);
  return recorded == Memory::unknown || finer ? declared : recorded;
}

bool isBetweenDevices(const ActivityRecord& record) { return record.sourceDevice >= 0; }

/// A copy between two devices may be recorded on either of them, whichever the stream belongs to.
bool touches(const ActivityRecord& record, std::uint32_t device) {
  const auto number = static_cast<std::int32_t>(device);
  return isBetweenDevices(record) && (record.sourceDevice == number || record.targetDevice == number);
}

StreamKey keyOf(const ActivityRecord& record) { return {record.device, record.streamId}; }

bool isAmong(const std::vector<StreamKey>& keys, const StreamKey& key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

/// Keys under which copies from or to the stream's device were recorded, but which are no stream of the program: CUPTI
/// 13.0 records a copy between devices under the target device and a number that no stream has.
std::vector<StreamKey> foreignKeys(const IssuedStream& stream, const std::vector<ActivityRecord>& records,
                                   const std::vector<StreamKey>& known) {
  std::vector<StreamKey> found;
  for (const ActivityRecord& record : records) {
    const StreamKey key = keyOf(record);
    if (touches(record, stream.key.device) && !isAmong(known, key) && !isAmong(found, key)) found.push_back(key);
  }
  return found;
}

/// Returns the stream's records in order, without those of graphs; with copies between devices under `foreign`.
std::vector<ActivityRecord> recordsOf(const IssuedStream& stream, const std::vector<ActivityRecord>& records,
                                      const StreamKey* foreign) {
  std::vector<ActivityRecord> mine;
  std::copy_if(records.begin(), records.end(), std::back_inserter(mine), [&](const ActivityRecord& record) {
    const bool isForeign = foreign != nullptr && keyOf(record) == *foreign && touches(record, stream.key.device);
    return (keyOf(record) == stream.key || isForeign) && record.graphNode == 0;
  });
  std::sort(mine.begin(), mine.end(), [](const ActivityRecord& a, const ActivityRecord& b) {
    return a.startNs != b.startNs ? a.startNs < b.startNs : a.correlation < b.correlation;
  });
  return withWholeCopies(mine);
}

/// Describes copies between devices that were recorded under no stream, for error messages.
std::string elsewhere(const IssuedStream& stream, const std::vector<StreamKey>& foreign) {
  if (foreign.empty()) return "";
  return " Copies between devices were recorded on device " + std::to_string(foreign.front().device) + ", stream " +
         std::to_string(foreign.front().streamId) + "; this one is stream " + std::to_string(stream.key.streamId) +
         " of device " + std::to_string(stream.key.device) + ".";
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

/// A library clears its workspace between its kernels, so that only one of several records need be a kernel.
std::optional<ActivityRecord> takenTogether(const Program& program, const Instruction& instruction,
                                            const std::vector<ActivityRecord>& records, std::size_t first,
                                            std::size_t count) {
  if (first + count > records.size()) return std::nullopt;
  if (count == 1) return agree(program, instruction, records[first]) ? std::optional(records[first]) : std::nullopt;
  std::optional<ActivityRecord> whole;
  const std::int64_t startNs = records[first].startNs;
  std::int64_t endNs = records[first].endNs;
  for (std::size_t at = first; at < first + count; ++at) {
    if (records[at].kind == RowKind::kernel) whole = records[at];
    endNs = std::max(endNs, records[at].endNs);
  }
  if (!whole.has_value()) return std::nullopt;
  whole->startNs = startNs;
  whole->endNs = endNs;
  return whole;
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

namespace {

/// Matches the stream's operations with its records; returns false if they don't agree.
bool match(const Program& program, const IssuedStream& stream, const std::vector<ActivityRecord>& mine,
           std::vector<DeviceRow>& joined) {
  joined.clear();
  std::size_t next = 0;
  for (const Issued& issued : *stream.issued) {
    if (!isRecorded(issued)) continue;
    const std::optional<ActivityRecord> record =
        takenTogether(program, *issued.instruction, mine, next, issued.records);
    if (record.has_value()) {
      DeviceRow row = joinedRow(program, *issued.instruction, *record);
      row.correlation = issued.correlation;
      row.stream = stream.stream;
      joined.push_back(row);
      next += issued.records;
    } else if (!mayBeUnrecorded(program, *issued.instruction)) {
      return false;
    }
  }
  return next == mine.size();
}

/// Tries the copies under a key that is no stream's; only if exactly one of the keys fits.
bool matchForeign(const Program& program, const IssuedStream& stream, const std::vector<ActivityRecord>& records,
                  const std::vector<StreamKey>& foreign, std::vector<DeviceRow>& joined) {
  int fitting = 0;
  for (const StreamKey& key : foreign) {
    std::vector<DeviceRow> rows;
    if (!match(program, stream, recordsOf(stream, records, &key), rows)) continue;
    joined = std::move(rows);
    ++fitting;
  }
  return fitting == 1;
}

}  // namespace

std::string joinActivities(const Program& program, const IssuedStream& stream,
                           const std::vector<ActivityRecord>& records, const std::vector<StreamKey>& known,
                           std::int32_t iteration, std::vector<DeviceRow>& rows) {
  const std::vector<ActivityRecord> own = recordsOf(stream, records, nullptr);
  const std::vector<StreamKey> foreign = foreignKeys(stream, records, known);
  std::vector<DeviceRow> joined;
  bool isSure = match(program, stream, own, joined);
  if (!isSure) isSure = matchForeign(program, stream, records, foreign, joined);
  if (!isSure) {
    const auto issuedWork = std::count_if(stream.issued->begin(), stream.issued->end(), isRecorded);
    return disagreement(program, stream, iteration, static_cast<std::size_t>(issuedWork), own.size()) +
           elsewhere(stream, foreign);
  }
  for (DeviceRow& row : joined) row.iteration = iteration;
  rows.insert(rows.end(), joined.begin(), joined.end());
  return "";
}

}  // namespace copyscope
