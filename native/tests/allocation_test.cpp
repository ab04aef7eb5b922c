// Memory that operations allocate and free, on the CPU engine.
#include "check.h"
#include "executor/failure.h"
#include "program_builder.h"

using namespace copyscope;
using namespace copyscope::testing;

namespace {

constexpr std::uint64_t bytes = 600 * 1024;
const Content data = pattern(PatternKind::random, 42);

const MemoryReport* reportOf(const RunRecord& record, AllocatorKind kind) {
  for (const MemoryReport& report : record.memory) {
    if (report.allocator == kind) return &report;
  }
  return nullptr;
}

}  // namespace

TEST("a buffer of each allocator is there between its allocate and its free") {
  for (const Allocator allocator : {Allocator::cudaMalloc, Allocator::pool, Allocator::caching}) {
    ProgramBuilder builder;
    builder.program().iterations = 3;
    const int host = builder.buffer(Memory::pinned, bytes, data);
    const int device = builder.lateBuffer(Memory::device, bytes);
    const int back = builder.buffer(Memory::pinned, bytes, pattern(PatternKind::constant, 1), true);
    const int stream = builder.stream(StreamKind::nonBlocking);
    builder.allocate(device, allocator, stream).copy(host, device, stream).copy(device, back, stream);
    builder.release(device, allocator, stream).on(Code::synchronizeStream, stream).expect(back, data);
    const RunRecord record = runOnCpu(builder.program());
    CHECK(record.checks[0].wrong == 0 && record.checks[0].checked == bytes);
    const HostRow allocated = hostRows(record, 0).at(0);
    const CallName call = allocator == Allocator::cudaMalloc ? CallName::malloc
                          : allocator == Allocator::pool     ? CallName::mallocAsync
                                                             : CallName::none;
    CHECK(allocated.kind == RowKind::hostCall && allocated.name == call);
  }
}

TEST("memory freed while another stream reads it is overwritten, unless recordStream tells of it") {
  for (const bool told : {false, true}) {
    ProgramBuilder builder;
    const int source = builder.buffer(Memory::pinned, bytes, data);
    const int victim = builder.lateBuffer(Memory::device, bytes);
    const int next = builder.lateBuffer(Memory::device, bytes);
    const int back = builder.buffer(Memory::pinned, bytes, pattern(PatternKind::constant, 1), true);
    const int own = builder.stream(StreamKind::nonBlocking);
    const int side = builder.stream(StreamKind::nonBlocking);
    const int late = builder.graph();
    builder.allocate(victim, Allocator::caching, own).copy(source, victim, own).on(Code::synchronizeStream, own);
    if (told) {
      builder.spin(side, longNs).copy(victim, back, side).recordStream(victim, side);
    } else {
      // A graph keeps the address, and reads there when it is launched.
      builder.indexed(Code::beginCapture, late, side).copy(victim, back, side).indexed(Code::endCapture, late, side);
    }
    // Without recordStream, the block's own stream can reuse it at once.
    builder.release(victim, Allocator::caching, own).allocate(next, Allocator::caching, own).memset(next, 9, own);
    if (!told) builder.on(Code::synchronizeStream, own).indexed(Code::launchGraph, late, side);
    builder.on(Code::synchronizeDevice).expect(back, data);
    const RunRecord record = runOnCpu(builder.program());
    CHECK((record.checks[0].wrong == 0) == told);
  }
}

TEST("cudaFree waits for the device, and a free into a cache does not") {
  for (const Allocator allocator : {Allocator::cudaMalloc, Allocator::caching, Allocator::pool}) {
    const bool waits = allocator == Allocator::cudaMalloc;
    ProgramBuilder builder;
    const int device = builder.lateBuffer(Memory::device, bytes);
    const int stream = builder.stream(StreamKind::nonBlocking);
    builder.allocate(device, allocator, stream).spin(stream, waits ? longNs : tenMinutes);
    builder.release(device, allocator, stream);
    if (waits) {
      const RunRecord record = runOnCpu(builder.program());
      const HostRow freed = hostRows(record, 2).at(0);
      CHECK(freed.startNs + freed.durationNs >= endOf(deviceRows(record, RowKind::kernel).at(0)));
      continue;
    }
    Held held(builder.program());
    const std::vector<Instruction>& instructions = builder.program().threads[0];
    held.backend.allocate(instructions[0]);
    held.backend.issue(instructions[1], 0);
    held.backend.free(instructions[2]);
    CHECK(!held.backend.queryStream(stream));
  }
}

TEST("a tensor that is pinned lies in page-locked memory of the cache, and is copied there by the host") {
  ProgramBuilder builder;
  builder.program().iterations = 2;
  const int pageable = builder.buffer(Memory::pageable, bytes, data);
  const int pinned = builder.lateBuffer(Memory::pinned, bytes);
  const int device = builder.buffer(Memory::device, bytes, pattern(PatternKind::constant, 1), true);
  const int stream = builder.stream(StreamKind::nonBlocking);
  builder.repeat(3).pin(pageable, pinned).copy(pinned, device, stream).on(Code::synchronizeStream, stream).endRepeat();
  builder.expect(device, data);
  const RunRecord record = runOnCpu(builder.program());
  CHECK(record.checks[0].wrong == 0);
  const auto rows = hostRows(record, 1);
  CHECK(rows.size() == 6 && rows[0].kind == RowKind::hostCall && rows[1].kind == RowKind::hostWork);
  CHECK(rows[1].bytes == bytes);
  const MemoryReport* const report = reportOf(record, AllocatorKind::cachingHost);
  // The new block exists before the old one is freed, so that two of 1 MiB serve all rounds.
  CHECK(report != nullptr && report->statistics.segmentsAllocated == 2);
  CHECK(report->statistics.reservedBytes == 2u << 20 && report->device == -1);
}

TEST("memory in the wrong state is refused by name") {
  const auto failing = [](auto build) {
    ProgramBuilder builder;
    const int buffer = builder.lateBuffer(Memory::device, bytes);
    build(builder, buffer, builder.stream(StreamKind::nonBlocking));
    return failureOf(builder.program());
  };
  CHECK(failing([](ProgramBuilder& builder, int buffer, int stream) { builder.memset(buffer, 1, stream); }) ==
        "run.not-allocated");
  CHECK(failing([](ProgramBuilder& builder, int buffer, int stream) {
          builder.release(buffer, Allocator::caching, stream);
        }) == "run.not-allocated");
  CHECK(failing([](ProgramBuilder& builder, int buffer, int stream) {
          builder.allocate(buffer, Allocator::caching, stream).allocate(buffer, Allocator::caching, stream);
        }) == "run.already-allocated");
}

TEST("more than there is ends in a failure that names buffer and bytes, with what is free") {
  for (const Allocator allocator : {Allocator::cudaMalloc, Allocator::pool, Allocator::caching}) {
    ProgramBuilder builder;
    const int buffer = builder.lateBuffer(Memory::device, 1ull << 40);
    builder.allocate(buffer, allocator, builder.stream(StreamKind::nonBlocking));
    try {
      runOnCpu(builder.program());
      CHECK(false);
    } catch (const Failure& failure) {
      CHECK(failure.code == "run.out-of-memory" && failure.field == "buffers.b0" && failure.op == 0);
      CHECK(failure.message.find("1099511627776") != std::string::npos);
    }
  }
}
