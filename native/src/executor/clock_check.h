// Checks that device times, converted to the host's clock, agree with the calls that caused them.
#pragma once

#include <string>
#include <vector>

#include "executor/rows.h"

namespace copyscope {

/// Returns a note if an activity seems to begin before its own call, and by how much; else empty. Nothing is moved to
/// hide it.
std::string describeClockError(const std::vector<HostRow>& hostRows, const std::vector<DeviceRow>& deviceRows);

}  // namespace copyscope
