#include "executor/clock_check.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>

namespace copyscope {
namespace {

std::uint64_t keyOf(std::int32_t iteration, std::int32_t correlation) {
  return static_cast<std::uint64_t>(iteration) << 32 | static_cast<std::uint32_t>(correlation);
}

}  // namespace

std::string describeClockError(const std::vector<HostRow>& hostRows, const std::vector<DeviceRow>& deviceRows) {
  std::unordered_map<std::uint64_t, std::int64_t> callStarts;
  for (const HostRow& row : hostRows) {
    if (row.correlation > 0) callStarts[keyOf(row.iteration, row.correlation)] = row.startNs;
  }
  std::int64_t worst = 0;
  std::uint64_t early = 0;
  for (const DeviceRow& row : deviceRows) {
    const auto call = callStarts.find(keyOf(row.iteration, row.correlation));
    if (call == callStarts.end() || row.startNs >= call->second) continue;
    ++early;
    worst = std::max(worst, call->second - row.startNs);
  }
  if (early == 0) return "";
  return std::to_string(early) + " device activities seem to begin before their calls, by up to " +
         std::to_string((worst + 999) / 1000) + " µs: the device's clock could be brought to the host's no nearer.";
}

}  // namespace copyscope
