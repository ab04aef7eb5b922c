#include "cupti/graph_join.h"

#include <algorithm>
#include <map>

namespace copyscope {
namespace {

using Records = std::vector<ActivityRecord>;

bool hasOneStream(const CapturedGraph& graph) {
  return std::all_of(graph.operations.begin(), graph.operations.end(),
                     [&](const Instruction* operation) { return operation->stream == graph.origin; });
}

/// In one stream nodes run in the order of their capture. With several streams, nodes are numbered in that order.
void sort(const CapturedGraph& graph, Records& records) {
  const bool byTime = hasOneStream(graph);
  std::sort(records.begin(), records.end(), [byTime](const ActivityRecord& a, const ActivityRecord& b) {
    if (byTime || a.graphNode == b.graphNode) return a.startNs < b.startNs;
    return a.graphNode < b.graphNode;
  });
}

/// Returns true if operations of one captured stream ran in their order.
bool keepsOrder(const CapturedGraph& graph, const std::vector<DeviceRow>& rows,
                const std::vector<std::size_t>& positions) {
  std::map<std::int32_t, std::int64_t> last;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    std::int64_t& start = last[graph.operations[positions[row]]->stream];
    if (rows[row].startNs < start) return false;
    start = rows[row].startNs;
  }
  return true;
}

/// Returns false if the launch's records and operations don't agree.
bool joinOne(const Program& program, const GraphLaunch& launch, Records records, std::vector<DeviceRow>& rows) {
  const CapturedGraph& graph = *launch.issued.graph;
  sort(graph, records);
  records = withWholeCopies(records);
  std::vector<DeviceRow> joined;
  std::vector<std::size_t> positions;
  std::size_t next = 0;
  for (std::size_t position = 0; position < graph.operations.size(); ++position) {
    const Instruction& operation = *graph.operations[position];
    const std::size_t count = position < graph.records.size() ? graph.records[position] : 1;
    const std::optional<ActivityRecord> record = takenTogether(program, operation, records, next, count);
    if (!record.has_value()) {
      if (mayBeUnrecorded(program, operation)) continue;
      return false;
    }
    next += count;
    DeviceRow row = joinedRow(program, operation, *record);
    row.correlation = launch.issued.correlation;
    row.stream = operation.stream == graph.origin ? launch.stream : operation.stream;
    joined.push_back(row);
    positions.push_back(position);
  }
  if (next != records.size() || !keepsOrder(graph, joined, positions)) return false;
  rows.insert(rows.end(), joined.begin(), joined.end());
  return true;
}

/// Returns true for launches that leave records.
bool isRecorded(const Program& program, const GraphLaunch& launch) {
  const auto& operations = launch.issued.graph->operations;
  return std::any_of(operations.begin(), operations.end(), [&](const Instruction* operation) {
    return isDeviceWork(operation->code) && !mayBeUnrecorded(program, *operation);
  });
}

}  // namespace

std::vector<GraphLaunch> launchesIn(const std::vector<std::vector<Issued>>& issued) {
  std::vector<GraphLaunch> launches;
  for (std::size_t stream = 0; stream < issued.size(); ++stream) {
    for (const Issued& one : issued[stream]) {
      if (one.graph != nullptr) launches.push_back({static_cast<std::int32_t>(stream), one});
    }
  }
  std::sort(launches.begin(), launches.end(),
            [](const GraphLaunch& a, const GraphLaunch& b) { return a.issued.launch < b.issued.launch; });
  return launches;
}

std::string joinGraphLaunches(const Program& program, std::vector<GraphLaunch> launches, const Records& records,
                              std::int32_t iteration, std::vector<DeviceRow>& rows) {
  std::map<std::uint32_t, Records> groups;
  for (const ActivityRecord& record : records) {
    if (record.graphNode != 0) groups[record.correlation].push_back(record);
  }
  launches.erase(std::remove_if(launches.begin(), launches.end(),
                                [&](const GraphLaunch& launch) { return !isRecorded(program, launch); }),
                 launches.end());
  std::vector<DeviceRow> joined;
  bool agrees = groups.size() == launches.size();
  auto launch = launches.begin();
  for (auto group = groups.begin(); agrees && group != groups.end(); ++group, ++launch) {
    agrees = joinOne(program, *launch, group->second, joined);
  }
  if (!agrees) {
    return "Iteration " + std::to_string(iteration) + ": the recorded activities of " + std::to_string(groups.size()) +
           " graph launches don't match the " + std::to_string(launches.size()) +
           " that were made, so their device times are left out.";
  }
  for (DeviceRow& row : joined) row.iteration = iteration;
  rows.insert(rows.end(), joined.begin(), joined.end());
  return "";
}

}  // namespace copyscope
