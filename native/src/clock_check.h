// Whether device times, brought to the host's clock, agree with the calls that caused them.
#pragma once

#include <string>
#include <vector>

#include "rows.h"

namespace copyscope {

/// A note where an activity seems to have begun before its own call did, and by how much; empty otherwise. Nothing is
/// moved to hide it.
std::string describeClockError(const std::vector<HostRow>& hostRows, const std::vector<DeviceRow>& deviceRows);

}  // namespace copyscope
