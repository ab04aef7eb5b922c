// Joins what a profiler recorded to the operations that caused it, by stream and order there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "program.h"
#include "rows.h"

namespace copyscope {

/// A copy or kernel that was issued, in its stream's order.
struct Issued {
  const Instruction* instruction = nullptr;
  std::int32_t correlation = 0;
};

/// What the profiler recorded of one activity.
struct ActivityRecord {
  std::int64_t startNs = 0;
  std::int64_t endNs = 0;
  std::uint64_t bytes = 0;
  std::uint32_t streamId = 0;
  /// The profiler's own number of the call that issued it.
  std::uint32_t correlation = 0;
  std::int32_t channel = -1;
  RowKind kind = RowKind::kernel;
  Memory src = Memory::none;
  Memory dst = Memory::none;
  ChannelType channelType = ChannelType::unknown;
};

/// One stream of the program, with what was issued to it.
struct IssuedStream {
  std::int32_t stream = -1;
  std::uint32_t streamId = 0;
  const std::vector<Issued>* issued = nullptr;
};

/// Adds a row for each issued operation whose record is beyond doubt. Where a stream's records and operations don't
/// agree in kind and bytes, that stream's rows are left out and the returned text says so; it is empty otherwise.
/// `records` are those of one iteration, in any order, and may hold other streams'.
std::string joinActivities(const Program& program, const IssuedStream& stream,
                           const std::vector<ActivityRecord>& records, std::int32_t iteration,
                           std::vector<DeviceRow>& rows);

}  // namespace copyscope
