#include "program_builder.h"

#include <thread>

#include "executor/failure.h"

namespace copyscope::testing {

Content pattern(PatternKind kind, std::uint32_t value, std::uint32_t multiplier) {
  Content content;
  content.kind = kind;
  content.value = value;
  content.multiplier = multiplier;
  return content;
}

int ProgramBuilder::buffer(Memory memory, std::uint64_t bytes, Content content, bool written) {
  Buffer buffer;
  buffer.id = "b" + std::to_string(program_.buffers.size());
  buffer.memory = memory;
  buffer.bytes = bytes;
  buffer.pattern = content;
  buffer.written = written;
  program_.buffers.push_back(buffer);
  return static_cast<int>(program_.buffers.size()) - 1;
}

int ProgramBuilder::stream(StreamKind kind) {
  Stream stream;
  stream.id = "s" + std::to_string(program_.streams.size());
  stream.kind = kind;
  program_.streams.push_back(stream);
  return static_cast<int>(program_.streams.size()) - 1;
}

int ProgramBuilder::event() {
  program_.events.push_back(true);
  return static_cast<int>(program_.events.size()) - 1;
}

Instruction& ProgramBuilder::add(Code code) {
  Instruction instruction;
  instruction.code = code;
  instruction.op = nextOp_++;
  program_.threads.back().push_back(instruction);
  return program_.threads.back().back();
}

ProgramBuilder& ProgramBuilder::copy(int src, int dst, int stream, bool blocking) {
  Instruction& instruction = add(Code::copy);
  instruction.src = src;
  instruction.dst = dst;
  instruction.stream = stream;
  instruction.blocking = blocking;
  instruction.bytes = program_.buffers[static_cast<std::size_t>(src)].bytes;
  return *this;
}

ProgramBuilder& ProgramBuilder::spin(int stream, std::int64_t durationNs) {
  Instruction& instruction = add(Code::spin);
  instruction.stream = stream;
  instruction.amount = durationNs;
  return *this;
}

ProgramBuilder& ProgramBuilder::kernel(int src, int dst, int stream, int passes) {
  Instruction& instruction = add(Code::stream);
  instruction.src = src;
  instruction.dst = dst;
  instruction.stream = stream;
  instruction.amount = passes;
  instruction.bytes = program_.buffers[static_cast<std::size_t>(src)].bytes;
  return *this;
}

ProgramBuilder& ProgramBuilder::record(int event, int stream) { return on(Code::recordEvent, stream, event); }
ProgramBuilder& ProgramBuilder::waitFor(int event, int stream) { return on(Code::waitEvent, stream, event); }

ProgramBuilder& ProgramBuilder::on(Code code, int stream, int event) {
  Instruction& instruction = add(code);
  instruction.stream = stream;
  instruction.event = event;
  return *this;
}

ProgramBuilder& ProgramBuilder::work(std::int64_t durationNs) {
  add(Code::work).amount = durationNs;
  return *this;
}

ProgramBuilder& ProgramBuilder::write(int buffer, Content content) {
  Instruction& instruction = add(Code::write);
  instruction.src = buffer;
  instruction.bytes = program_.buffers[static_cast<std::size_t>(buffer)].bytes;
  instruction.content = content;
  return *this;
}

ProgramBuilder& ProgramBuilder::read(int buffer, Content expected) {
  write(buffer, expected);
  program_.threads.back().back().code = Code::read;
  return *this;
}

ProgramBuilder& ProgramBuilder::repeat(int count) {
  openRepeats_.push_back(static_cast<int>(program_.threads.back().size()));
  add(Code::repeat).amount = count;
  return *this;
}

ProgramBuilder& ProgramBuilder::endRepeat() {
  const int start = openRepeats_.back();
  openRepeats_.pop_back();
  std::vector<Instruction>& instructions = program_.threads.back();
  instructions[static_cast<std::size_t>(start)].jump = static_cast<int>(instructions.size());
  add(Code::endRepeat).jump = start;
  return *this;
}

ProgramBuilder& ProgramBuilder::expect(int buffer, Content content) {
  Expectation expectation;
  expectation.buffer = buffer;
  expectation.bytes = program_.buffers[static_cast<std::size_t>(buffer)].bytes;
  expectation.content = content;
  program_.expectations.push_back(expectation);
  return *this;
}

int ProgramBuilder::signalOf(std::int64_t capacity) {
  program_.signals.push_back({"signal" + std::to_string(program_.signals.size()), capacity});
  return static_cast<int>(program_.signals.size()) - 1;
}

int ProgramBuilder::graph() {
  program_.graphs.push_back("graph" + std::to_string(program_.graphs.size()));
  return static_cast<int>(program_.graphs.size()) - 1;
}

int ProgramBuilder::lateBuffer(Memory memory, std::uint64_t bytes) {
  const int made = buffer(memory, bytes, pattern(PatternKind::constant, 0xdeadbeef), true);
  program_.buffers.back().byOperation = true;
  return made;
}

ProgramBuilder& ProgramBuilder::memset(int buffer, int value, int stream) {
  Instruction& instruction = add(Code::memset);
  instruction.dst = buffer;
  instruction.bytes = program_.buffers[static_cast<std::size_t>(buffer)].bytes;
  instruction.amount = value;
  instruction.stream = stream;
  return *this;
}

ProgramBuilder& ProgramBuilder::hostFunction(int stream, std::int64_t durationNs) {
  spin(stream, durationNs);
  program_.threads.back().back().code = Code::hostFunction;
  return *this;
}

ProgramBuilder& ProgramBuilder::item(int buffer, int stream) {
  Instruction& instruction = add(Code::item);
  instruction.src = buffer;
  instruction.bytes = 4;
  instruction.stream = stream;
  return *this;
}

ProgramBuilder& ProgramBuilder::elapsed(int start, int end) {
  Instruction& instruction = add(Code::elapsedTime);
  instruction.event = start;
  instruction.index = end;
  return *this;
}

ProgramBuilder& ProgramBuilder::indexed(Code code, int index, int stream) {
  Instruction& instruction = add(code);
  instruction.index = index;
  instruction.stream = stream;
  return *this;
}

ProgramBuilder& ProgramBuilder::allocate(int buffer, Allocator allocator, int stream) {
  Instruction& instruction = add(Code::allocate);
  instruction.src = buffer;
  instruction.amount = static_cast<std::int64_t>(allocator);
  instruction.stream = stream;
  return *this;
}

ProgramBuilder& ProgramBuilder::release(int buffer, Allocator allocator, int stream) {
  allocate(buffer, allocator, stream);
  program_.threads.back().back().code = Code::free;
  return *this;
}

ProgramBuilder& ProgramBuilder::recordStream(int buffer, int stream) {
  allocate(buffer, Allocator::cudaMalloc, stream);
  program_.threads.back().back().code = Code::recordStream;
  return *this;
}

ProgramBuilder& ProgramBuilder::pin(int src, int dst) {
  Instruction& instruction = add(Code::pin);
  instruction.src = src;
  instruction.dst = dst;
  instruction.bytes = program_.buffers[static_cast<std::size_t>(src)].bytes;
  return *this;
}

ProgramBuilder& ProgramBuilder::multiCopy(copy::MultiCopyPlan plan, int stream) {
  Instruction& instruction = add(Code::multiCopy);
  instruction.index = static_cast<std::int32_t>(program_.multiCopies.size());
  instruction.stream = stream;
  program_.multiCopies.push_back(std::move(plan));
  return *this;
}

namespace {

std::string failureOf(const Program& program, Stop& stop) {
  try {
    runOnCpu(program, stop);
    return "";
  } catch (const Failure& failure) {
    return failure.code;
  }
}

}  // namespace

std::string failureOf(const Program& program) {
  Stop stop;
  return failureOf(program, stop);
}

Stopped stopAfter(const Program& program, std::chrono::milliseconds delay) {
  Stop stop;
  std::int64_t asked = 0;
  std::thread stopper([&] {
    std::this_thread::sleep_for(delay);
    asked = nowNs();
    stop.request();
  });
  const std::string code = failureOf(program, stop);
  const std::int64_t ended = nowNs();
  stopper.join();
  return {code, ended - asked};
}

RunRecord runOnCpu(const Program& program, Stop& stop) {
  CpuBackend backend(stop);
  Executor executor(program, backend, stop, [](Phase, int, int) {});
  return executor.run();
}

RunRecord runOnCpu(const Program& program) {
  Stop stop;
  return runOnCpu(program, stop);
}

void Held::issueAll() {
  for (const Instruction& instruction : program.threads[0]) backend.issue(instruction, 0);
}

bool copyReturnsWhileHeld(Memory from, std::uint64_t bytes) {
  ProgramBuilder builder;
  const int source = builder.buffer(from, bytes, pattern(PatternKind::random, 1));
  const int target = builder.buffer(Memory::device, bytes, pattern(PatternKind::constant, 1), true);
  const int stream = builder.stream(StreamKind::nonBlocking);
  builder.spin(stream, tenMinutes).copy(source, target, stream);
  Held held(builder.program());
  held.issueAll();
  return !held.backend.queryStream(stream);
}

std::vector<DeviceRow> deviceRows(const RunRecord& record, RowKind kind, int op) {
  std::vector<DeviceRow> rows;
  for (const DeviceRow& row : record.deviceRows) {
    if (row.iteration == 0 && row.kind == kind && (op < 0 || row.op == op)) rows.push_back(row);
  }
  return rows;
}

std::vector<HostRow> hostRows(const RunRecord& record, int op) {
  std::vector<HostRow> rows;
  for (const HostRow& row : record.hostRows) {
    if (row.iteration == 0 && row.op == op) rows.push_back(row);
  }
  return rows;
}

std::int64_t endOf(const DeviceRow& row) { return row.startNs + row.durationNs; }

}  // namespace copyscope::testing
