// Joins the profiler's records with the operations that caused them, by stream and order there.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "executor/program.h"
#include "executor/rows.h"

namespace copyscope {

/// Operations of a captured graph that appear on the device, in order.
struct CapturedGraph {
  std::int32_t origin = -1;
  std::vector<const Instruction*> operations;
  /// Number of activities of each operation.
  std::vector<std::size_t> records;
};

/// Issued operations in their stream's order.
struct Issued {
  const Instruction* instruction = nullptr;
  std::int32_t correlation = 0;
  /// For a launch: its graph, and its place among all launches of the process.
  std::shared_ptr<const CapturedGraph> graph;
  std::uint64_t launch = 0;
  /// Number of its activities: a library may launch several kernels for one.
  std::size_t records = 1;
};

/// The profiler's record of one activity.
struct ActivityRecord {
  std::int64_t startNs = 0;
  std::int64_t endNs = 0;
  std::uint64_t bytes = 0;
  std::uint32_t streamId = 0;
  /// CUDA's number of the device in this process.
  std::uint32_t device = 0;
  /// Node of its graph; 0 if it was issued by itself.
  std::uint64_t graphNode = 0;
  /// The profiler's number of the call that issued it.
  std::uint32_t correlation = 0;
  std::int32_t channel = -1;
  RowKind kind = RowKind::kernel;
  Memory src = Memory::none;
  Memory dst = Memory::none;
  ChannelType channelType = ChannelType::unknown;
  /// Devices of a copy between two; -1 for any other.
  std::int32_t sourceDevice = -1;
  std::int32_t targetDevice = -1;
};

/// The profiler's name of a stream: numbers are unique only within a device.
struct StreamKey {
  std::uint32_t device = 0;
  std::uint32_t streamId = 0;
  bool operator==(const StreamKey& other) const { return device == other.device && streamId == other.streamId; }
};

/// One stream of the program, with the operations issued to it.
struct IssuedStream {
  std::int32_t stream = -1;
  StreamKey key;
  const std::vector<Issued>* issued = nullptr;
};

/// Returns true if record and instruction have the same kind and number of bytes.
bool agree(const Program& program, const Instruction& instruction, const ActivityRecord& record);
/// Returns true for copies between host buffers and copies of nothing, which need not appear on the device.
bool mayBeUnrecorded(const Program& program, const Instruction& instruction);
/// Merges parts of one copy or memset, which are consecutive and share a number, into one record.
std::vector<ActivityRecord> withWholeCopies(const std::vector<ActivityRecord>& records);
/// Returns `count` records from `first` on as one of the operation: from the start of the first to the end of the last.
/// Nothing if there are fewer, or they are not of its kind.
std::optional<ActivityRecord> takenTogether(const Program& program, const Instruction& instruction,
                                            const std::vector<ActivityRecord>& records, std::size_t first,
                                            std::size_t count);
/// Returns the row of an operation with this record.
DeviceRow joinedRow(const Program& program, const Instruction& instruction, const ActivityRecord& record);

/// Adds a row for each issued operation with a certain record. If a stream's records and operations don't agree in kind
/// and bytes, that stream's rows are left out, and the returned text says so; else it is empty. `records` are those of
/// one iteration, in any order, and may include other streams'. `known` are the keys of all of the program's streams:
/// copies between devices may be recorded under another key, and belong to the stream if only one such key fits it.
std::string joinActivities(const Program& program, const IssuedStream& stream,
                           const std::vector<ActivityRecord>& records, const std::vector<StreamKey>& known,
                           std::int32_t iteration, std::vector<DeviceRow>& rows);

}  // namespace copyscope
