// The request and result of a benchmark. One request gives one line of a table.
#pragma once

#include <cstdint>
#include <vector>

#include "copy/block_copy.h"

namespace copyscope::bench {

// The numbers of these lists are those of native/bench.ts.
enum class Kind : std::uint8_t { copy, launches, queueDepth, submit, blocks };
constexpr int kindCount = static_cast<int>(Kind::blocks) + 1;
enum class Direction : std::uint8_t { h2d, d2h, d2d };
constexpr int directionCount = static_cast<int>(Direction::d2d) + 1;
enum class HostMemory : std::uint8_t { pageable, pinned };
constexpr int hostMemoryCount = static_cast<int>(HostMemory::pinned) + 1;

struct Request {
  Kind kind = Kind::copy;
  Direction direction = Direction::h2d;
  HostMemory memory = HostMemory::pinned;
  copy::BlockStrategy strategy = copy::BlockStrategy::loop;
  std::int32_t device = 0;
  /// Bytes of one copy.
  std::uint64_t bytes = 0;
  /// Largest size of later requests: memory is allocated for it at once, and kept.
  std::uint64_t capacity = 0;
  /// Copies or launches in one sample.
  std::int32_t count = 1;
  std::int32_t samples = 1;
  std::int32_t warmups = 0;
};

/// Times are nanoseconds, one entry per sample.
struct Result {
  /// The main figure: device time between two events, or host time if `onHostClock`.
  std::vector<double> ns;
  /// Time that the calls blocked the host.
  std::vector<double> callNs;
  /// Device time between two events around the calls, of block copies.
  std::vector<double> deviceNs;
  bool onHostClock = false;
  /// Bytes moved in one sample.
  std::uint64_t bytes = 0;
  std::uint64_t checked = 0;
  std::uint64_t wrong = 0;
  /// Operations that a queue took before the host was blocked; 0 if it was not.
  std::int64_t depth = 0;
};

}  // namespace copyscope::bench
