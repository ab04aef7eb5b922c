// Graphs on the CPU engine, and the joining of their records.
#include "cupti/graph_join.h"

#include "check.h"
#include "program_builder.h"

using namespace copyscope;
using namespace copyscope::testing;

namespace {

constexpr std::uint64_t bytes = 100 * 1024;
const Content data = pattern(PatternKind::random, 42);
const Content poison = pattern(PatternKind::constant, 0xdeadbeef);

}  // namespace

TEST("captured work runs at each launch, with its own number and the launch's correlation") {
  ProgramBuilder builder;
  builder.program().iterations = 2;
  const int host = builder.buffer(Memory::pinned, bytes, data);
  const int device = builder.buffer(Memory::device, bytes, poison, true);
  const int product = builder.buffer(Memory::device, bytes, poison, true);
  const int captured = builder.stream(StreamKind::nonBlocking);
  const int launched = builder.stream(StreamKind::nonBlocking);
  const int graph = builder.graph();
  builder.indexed(Code::beginCapture, graph, captured).copy(host, device, captured).kernel(device, product, captured, 1);
  builder.hostFunction(captured, 1000).memset(device, 7, captured).indexed(Code::endCapture, graph, captured);
  builder.repeat(3).indexed(Code::launchGraph, graph, launched).endRepeat();
  builder.expect(product, pattern(PatternKind::random, 42, streamMultiplier));
  builder.expect(device, pattern(PatternKind::constant, 0x07070707));
  const RunRecord record = runOnCpu(builder.program());
  for (const Check& check : record.checks) CHECK(check.wrong == 0);
  CHECK(deviceRows(record, RowKind::copy, 1).size() == 3);
  CHECK(deviceRows(record, RowKind::hostFunction, 3).size() == 3);
  CHECK(record.deviceRows.size() == 2 * 3 * 4);
  const auto launches = hostRows(record, 7);
  CHECK(launches.size() == 3 && launches[0].name == CallName::graphLaunch);
  for (std::size_t round = 0; round < 3; ++round) {
    for (const RowKind kind : {RowKind::copy, RowKind::kernel, RowKind::hostFunction, RowKind::memset}) {
      const DeviceRow row = deviceRows(record, kind).at(round);
      CHECK(row.correlation == launches[round].correlation && row.stream == launched);
    }
  }
  const auto ends = hostRows(record, 5);
  CHECK(ends.size() == 3 && ends[0].name == CallName::streamEndCapture);
  CHECK(ends[1].name == CallName::graphInstantiate && ends[2].name == CallName::graphUpload);
  CHECK(hostRows(record, 1).at(0).correlation == 0);
}

TEST("a stream that waits for an event of a capture becomes part of it") {
  ProgramBuilder builder;
  const int origin = builder.stream(StreamKind::nonBlocking);
  const int side = builder.stream(StreamKind::nonBlocking);
  const int fork = builder.event();
  const int join = builder.event();
  const int graph = builder.graph();
  builder.indexed(Code::beginCapture, graph, origin).spin(origin, 1000).record(fork, origin).waitFor(fork, side);
  builder.spin(side, 1000).record(join, side).waitFor(join, origin).spin(origin, 1000);
  builder.indexed(Code::endCapture, graph, origin).spin(side, 0);
  builder.indexed(Code::launchGraph, graph, origin);
  const RunRecord record = runOnCpu(builder.program());
  CHECK(deviceRows(record, RowKind::kernel).size() == 4);
  CHECK(deviceRows(record, RowKind::kernel, 4).at(0).stream == side);
  CHECK(deviceRows(record, RowKind::kernel, 7).at(0).startNs >= endOf(deviceRows(record, RowKind::kernel, 4).at(0)));
}

TEST("a call that a capture forbids is refused with a code") {
  const auto during = [](Code code) {
    ProgramBuilder builder;
    const int stream = builder.stream(StreamKind::nonBlocking);
    const int graph = builder.graph();
    builder.indexed(Code::beginCapture, graph, stream).on(code, stream).indexed(Code::endCapture, graph, stream);
    return failureOf(builder.program());
  };
  CHECK(during(Code::synchronizeStream) == "run.capture");
  CHECK(during(Code::queryStream) == "run.capture");
  ProgramBuilder legacy;
  const int stream = legacy.stream(StreamKind::legacyDefault);
  legacy.indexed(Code::beginCapture, legacy.graph(), stream).indexed(Code::endCapture, 0, stream);
  CHECK(failureOf(legacy.program()) == "run.capture");
  ProgramBuilder missing;
  missing.indexed(Code::launchGraph, missing.graph(), missing.stream(StreamKind::nonBlocking));
  CHECK(failureOf(missing.program()) == "run.no-graph");
}

TEST("with launch blocking a capture is left as it is") {
  ProgramBuilder builder;
  builder.program().launchBlocking = true;
  const int stream = builder.stream(StreamKind::nonBlocking);
  const int graph = builder.graph();
  builder.indexed(Code::beginCapture, graph, stream).spin(stream, 1000).indexed(Code::endCapture, graph, stream);
  builder.indexed(Code::launchGraph, graph, stream);
  const RunRecord record = runOnCpu(builder.program());
  const HostRow launch = hostRows(record, 3).at(0);
  CHECK(launch.startNs + launch.durationNs >= endOf(deviceRows(record, RowKind::kernel, 1).at(0)));
}

// Records

namespace {

/// Two launches of a graph with a copy and a kernel, and a profiler's records of them.
struct Scene {
  ProgramBuilder builder;
  std::vector<GraphLaunch> launches;
  std::vector<ActivityRecord> records;
  std::vector<DeviceRow> rows;

  Scene() {
    const int host = builder.buffer(Memory::pinned, 64, data);
    const int device = builder.buffer(Memory::device, 64, data);
    const int stream = builder.stream(StreamKind::nonBlocking);
    builder.stream(StreamKind::nonBlocking);
    builder.copy(host, device, stream).spin(stream, 5);
    auto graph = std::make_shared<CapturedGraph>();
    graph->origin = stream;
    for (const Instruction& operation : builder.program().threads[0]) graph->operations.push_back(&operation);
    for (int launch = 0; launch < 2; ++launch) {
      launches.push_back({1, {nullptr, 70 + launch, graph, static_cast<std::uint64_t>(launch)}});
      const std::uint32_t number = 500 + static_cast<std::uint32_t>(launch);
      records.push_back(record(RowKind::kernel, 1000 * (launch + 1) + 50, 12, number));
      records.push_back(record(RowKind::copy, 1000 * (launch + 1), 11, number));
    }
  }

  static ActivityRecord record(RowKind kind, std::int64_t start, std::uint64_t node, std::uint32_t number) {
    ActivityRecord made;
    made.kind = kind;
    made.startNs = start;
    made.endNs = start + 40;
    made.bytes = kind == RowKind::copy ? 64 : 0;
    made.graphNode = node;
    made.correlation = number;
    made.src = made.dst = Memory::unknown;
    return made;
  }

  std::string join() { return joinGraphLaunches(builder.program(), launches, records, 2, rows); }
};

}  // namespace

TEST("records of launches go to the operations that were captured") {
  Scene scene;
  CHECK(scene.join().empty());
  CHECK(scene.rows.size() == 4);
  CHECK(scene.rows[0].op == 0 && scene.rows[0].startNs == 1000 && scene.rows[0].correlation == 70);
  CHECK(scene.rows[0].stream == 1 && scene.rows[0].iteration == 2 && scene.rows[0].src == Memory::pinned);
  CHECK(scene.rows[3].op == 1 && scene.rows[3].startNs == 2050 && scene.rows[3].correlation == 71);
}

TEST("records are left out, with a note, if their number differs from the launches") {
  Scene missing;
  missing.records.pop_back();
  CHECK(!missing.join().empty() && missing.rows.empty());
  Scene other;
  other.records[1].bytes = 63;
  CHECK(!other.join().empty() && other.rows.empty());
  Scene surplus;
  surplus.records.push_back(Scene::record(RowKind::kernel, 5000, 13, 502));
  CHECK(surplus.join().find("3 graph launches") != std::string::npos);
}

TEST("several captured streams are joined by node, and refused where a stream's order would not hold") {
  Scene scene;
  auto graph = std::make_shared<CapturedGraph>(*scene.launches[0].issued.graph);
  Instruction side = *graph->operations[1];
  side.stream = 1;
  Instruction third = side;
  third.op = 2;
  graph->operations = {graph->operations[0], &side, &third};
  scene.launches = {{0, {nullptr, 70, graph, 0}}};
  // The side stream's kernels: nodes 12 and 13. The first begins before the copy.
  scene.records = {Scene::record(RowKind::kernel, 1100, 13, 500), Scene::record(RowKind::copy, 1000, 11, 500),
                   Scene::record(RowKind::kernel, 900, 12, 500)};
  CHECK(scene.join().empty());
  CHECK(scene.rows.size() == 3 && scene.rows[1].op == 1 && scene.rows[1].startNs == 900 && scene.rows[1].stream == 1);
  scene.rows.clear();
  std::swap(scene.records[0].graphNode, scene.records[2].graphNode);
  CHECK(!scene.join().empty() && scene.rows.empty());
}
