// Records are joined with operations only if they match without doubt.
#include "check.h"
#include "cupti/activity_join.h"
#include "program_builder.h"

using namespace copyscope;
using namespace copyscope::testing;

namespace {

constexpr std::uint32_t streamId = 13;

/// A stream with a copy of 64 bytes, a kernel, and a copy between host buffers.
struct Scene {
  ProgramBuilder builder;
  std::vector<Issued> issued;
  std::vector<ActivityRecord> records;
  std::vector<DeviceRow> rows;

  Scene() {
    const int host = builder.buffer(Memory::pinned, 64, pattern(PatternKind::index, 0));
    const int device = builder.buffer(Memory::device, 64, pattern(PatternKind::index, 0));
    const int stream = builder.stream(StreamKind::nonBlocking);
    builder.copy(host, device, stream).spin(stream, 5).copy(host, host, stream);
    std::int32_t correlation = 1;
    for (const Instruction& instruction : builder.program().threads[0]) issued.push_back({&instruction, correlation++, nullptr, 0});
    records = {record(RowKind::kernel, 200, 300, 0), record(RowKind::copy, 100, 180, 64)};
  }

  static ActivityRecord record(RowKind kind, std::int64_t start, std::int64_t end, std::uint64_t bytes) {
    ActivityRecord made;
    made.kind = kind;
    made.startNs = start;
    made.endNs = end;
    made.bytes = bytes;
    made.streamId = streamId;
    made.correlation = static_cast<std::uint32_t>(start);
    made.src = Memory::unknown;
    made.dst = Memory::device;
    made.channel = 9;
    made.channelType = ChannelType::asyncMemcpy;
    return made;
  }

  /// Records the copy, which goes to device 1, there under a number that is no stream's.
  void recordUnderForeignKey() {
    ActivityRecord& copy = records[1];
    copy.device = 1;
    copy.streamId = 10;
    copy.sourceDevice = 0;
    copy.targetDevice = 1;
  }

  std::string join() {
    const IssuedStream stream{0, {0, streamId}, &issued};
    return joinActivities(builder.program(), stream, records, {{0, streamId}, {1, 21}}, 3, rows);
  }
};

}  // namespace

TEST("copies between devices are the stream's too where they were recorded under a key that is no stream's") {
  Scene scene;
  scene.recordUnderForeignKey();
  CHECK(scene.join().empty());
  CHECK(scene.rows.size() == 2 && scene.rows[0].startNs == 100);
  // The record is of another stream.
  scene.rows.clear();
  scene.records[1].streamId = 21;
  CHECK(!scene.join().empty() && scene.rows.empty());
  // The record is of two other devices.
  scene.records[1].streamId = 10;
  scene.records[1].sourceDevice = 2;
  CHECK(!scene.join().empty() && scene.rows.empty());
}

TEST("copies between devices under two keys are left out, with a note on their place, if both fit a stream") {
  Scene scene;
  scene.recordUnderForeignKey();
  scene.records.push_back(scene.records[1]);
  scene.records.back().streamId = 11;
  CHECK(scene.join().find("recorded on device 1, stream 10; this one is stream 13 of device 0") != std::string::npos);
  CHECK(scene.rows.empty());
}

TEST("records in order of start go to operations in order of issue") {
  Scene scene;
  CHECK(scene.join().empty());
  CHECK(scene.rows.size() == 2);
  CHECK(scene.rows[0].op == 0 && scene.rows[0].startNs == 100 && scene.rows[0].durationNs == 80);
  CHECK(scene.rows[0].correlation == 1 && scene.rows[0].iteration == 3 && scene.rows[0].channel == 9);
  CHECK(scene.rows[0].src == Memory::pinned && scene.rows[0].dst == Memory::device);
  CHECK(scene.rows[1].op == 1 && scene.rows[1].kind == RowKind::kernel && scene.rows[1].src == Memory::none);
}

TEST("records of other streams are left alone") {
  Scene scene;
  scene.records.push_back(Scene::record(RowKind::kernel, 10, 20, 0));
  scene.records.back().streamId = 7;
  CHECK(scene.join().empty());
  CHECK(scene.rows.size() == 2);
}

TEST("parts of one copy become one row") {
  Scene scene;
  scene.records = {Scene::record(RowKind::copy, 100, 140, 40), Scene::record(RowKind::copy, 150, 190, 24),
                   Scene::record(RowKind::kernel, 200, 300, 0)};
  scene.records[1].correlation = scene.records[0].correlation;
  CHECK(scene.join().empty());
  CHECK(scene.rows[0].startNs == 100 && scene.rows[0].durationNs == 90 && scene.rows[0].bytes == 64);
}

TEST("a stream is left out, with a note, if bytes, kind or number differ") {
  Scene bytes;
  bytes.records[1].bytes = 63;
  CHECK(!bytes.join().empty() && bytes.rows.empty());
  Scene missing;
  missing.records.pop_back();
  CHECK(!missing.join().empty() && missing.rows.empty());
  Scene surplus;
  surplus.records.push_back(Scene::record(RowKind::kernel, 400, 500, 0));
  CHECK(surplus.join().find("s0") != std::string::npos && surplus.rows.empty());
}

TEST("a copy between host buffers is joined where it was recorded") {
  Scene scene;
  scene.records.push_back(Scene::record(RowKind::copy, 400, 500, 64));
  CHECK(scene.join().empty());
  CHECK(scene.rows.size() == 3 && scene.rows[2].op == 2);
}
