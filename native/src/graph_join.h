// Joins what a profiler recorded of graph launches to the operations that were captured.
#pragma once

#include "activity_join.h"

namespace copyscope {

/// One launch in one iteration.
struct GraphLaunch {
  std::int32_t stream = -1;
  Issued issued;
};

/// The launches among what was issued to each stream, in the order in which they were made.
std::vector<GraphLaunch> launchesIn(const std::vector<std::vector<Issued>>& issued);

/// Adds a row for each operation of each launch, in the launch's stream, or in the one that it was captured in where
/// the capture had taken in more. The records of a launch bear one number, and numbers grow from launch to launch.
/// Where records and launches don't agree, all are left out and the returned text says so; it is empty otherwise.
std::string joinGraphLaunches(const Program& program, std::vector<GraphLaunch> launches,
                              const std::vector<ActivityRecord>& records, std::int32_t iteration,
                              std::vector<DeviceRow>& rows);

}  // namespace copyscope
