// Joins a profiler's records of graph launches with the captured operations.
#pragma once

#include "cupti/activity_join.h"

namespace copyscope {

/// One launch in one iteration.
struct GraphLaunch {
  std::int32_t stream = -1;
  Issued issued;
};

/// Returns the launches among the operations issued to each stream, in the order of the calls.
std::vector<GraphLaunch> launchesIn(const std::vector<std::vector<Issued>>& issued);

/// Adds a row for each operation of each launch, in the launch's stream, or in its captured stream if the capture had
/// several. The records of a launch share a number, and numbers grow from launch to launch. If records and launches
/// don't agree, all are left out and the returned text says so; else it is empty.
std::string joinGraphLaunches(const Program& program, std::vector<GraphLaunch> launches,
                              const std::vector<ActivityRecord>& records, std::int32_t iteration,
                              std::vector<DeviceRow>& rows);

}  // namespace copyscope
