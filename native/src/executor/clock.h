// The executor's own clock. It stamps host rows, CPU device rows and CUPTI's records.
#pragma once

#include <chrono>
#include <cstdint>

namespace copyscope {

/// Returns nanoseconds of the monotonic clock, from an arbitrary origin.
inline std::int64_t nowNs() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace copyscope
