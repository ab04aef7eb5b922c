// The rows that a run records.
#pragma once

#include <cstdint>

#include "executor/program.h"

namespace copyscope {

/// Times are those of nowNs().
struct HostRow {
  std::int64_t startNs = 0;
  std::int64_t durationNs = 0;
  std::uint64_t bytes = 0;
  std::int32_t op = -1;
  std::int32_t correlation = 0;
  std::int32_t iteration = 0;
  std::int32_t thread = 0;
  /// 0 for the host thread itself, 1 and up for threads that help it with a multi-tensor copy.
  std::int32_t worker = 0;
  RowKind kind = RowKind::hostCall;
  CallName name = CallName::none;
};

struct DeviceRow {
  std::int64_t startNs = 0;
  std::int64_t durationNs = 0;
  std::uint64_t bytes = 0;
  std::int32_t op = -1;
  std::int32_t correlation = 0;
  std::int32_t iteration = 0;
  std::int32_t stream = -1;
  std::int32_t channel = -1;
  RowKind kind = RowKind::kernel;
  Memory src = Memory::none;
  Memory dst = Memory::none;
  ChannelType channelType = ChannelType::unknown;
};

/// Returns the kind of activity that an instruction causes in its stream.
RowKind rowKindOf(Code code);

/// Fills in the instruction's data on its activity: kind, bytes and kinds of memory.
void describeActivity(const Program& program, const Instruction& instruction, DeviceRow& row);

}  // namespace copyscope
