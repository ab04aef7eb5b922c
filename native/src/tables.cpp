#include "tables.h"

#include <cmath>

#include "failure.h"

namespace copyscope {
namespace {

constexpr double maxBytes = 1099511627776.0;      // 1 TiB
constexpr double maxDurationNs = 3600000000000.0;  // one hour
constexpr double maxUint32 = 4294967295.0;
constexpr double maxCount = 1e7;
constexpr std::size_t maxEntries = 1000000;
constexpr std::size_t maxThreads = 64;
constexpr std::size_t maxNesting = 64;

[[noreturn]] void refuse(const std::string& where, const std::string& reason) {
  throw Failure("native.bad-program", where + ": " + reason + ".",
                "Lower the experiment again with this version of the program.", where);
}

std::string rowName(const char* table, std::size_t row) { return std::string(table) + "[" + std::to_string(row) + "]"; }

/// One row of a table; reads its columns in turn.
class Row {
 public:
  Row(const Table& table, std::size_t columns, std::size_t row, const char* name)
      : next_(table.data + columns * row), name_(rowName(name, row)) {}

  double number(const char* what, double least, double most) {
    const double value = *next_++;
    if (!std::isfinite(value) || value < least || value > most) {
      refuse(name_, std::string(what) + " is " + std::to_string(value) + ", not between " + std::to_string(least) +
                        " and " + std::to_string(most));
    }
    return value;
  }

  double whole(const char* what, double least, double most) {
    const double value = number(what, least, most);
    if (value != std::floor(value)) refuse(name_, std::string(what) + " is not a whole number");
    return value;
  }

  std::int32_t index(const char* what, std::size_t size) {
    return static_cast<std::int32_t>(whole(what, -1, static_cast<double>(size) - 1));
  }

  std::uint64_t bytes(const char* what) { return static_cast<std::uint64_t>(whole(what, 0, maxBytes)); }

  Content content() {
    Content content;
    content.kind = static_cast<PatternKind>(whole("pattern kind", 0, 3));
    content.value = static_cast<std::uint32_t>(whole("pattern value", 0, maxUint32));
    content.offset = bytes("pattern offset");
    content.multiplier = static_cast<std::uint32_t>(whole("multiplier", 0, maxUint32));
    return content;
  }

  const std::string& name() const { return name_; }

 private:
  const double* next_;
  std::string name_;
};

std::size_t rows(const Table& table, std::size_t columns, const char* name) {
  if (table.length % columns != 0) refuse(name, "its length is not a multiple of " + std::to_string(columns));
  const std::size_t count = table.length / columns;
  if (count > maxEntries) refuse(name, std::to_string(count) + " rows are more than " + std::to_string(maxEntries));
  return count;
}

std::string idAt(const std::vector<std::string>& ids, std::size_t index) {
  return index < ids.size() ? ids[index] : "#" + std::to_string(index);
}

void readBuffers(const ProgramTables& tables, Program& program) {
  const std::size_t count = rows(tables.buffers, bufferColumns, "buffers");
  for (std::size_t index = 0; index < count; ++index) {
    Row row(tables.buffers, bufferColumns, index, "buffers");
    Buffer buffer;
    buffer.id = idAt(tables.bufferIds, index);
    buffer.memory = static_cast<Memory>(row.whole("memory", 1, 3));
    buffer.bytes = row.bytes("bytes");
    if (buffer.bytes == 0) refuse(row.name(), "it has no bytes");
    buffer.pattern.kind = static_cast<PatternKind>(row.whole("pattern kind", 1, 3));
    buffer.pattern.value = static_cast<std::uint32_t>(row.whole("pattern value", 0, maxUint32));
    buffer.written = row.whole("written", 0, 1) == 1;
    program.buffers.push_back(buffer);
  }
}

void readStreams(const ProgramTables& tables, Program& program) {
  const std::size_t count = rows(tables.streams, streamColumns, "streams");
  if (count > 2048) refuse("streams", "more than 2048 of them");
  for (std::size_t index = 0; index < count; ++index) {
    Row row(tables.streams, streamColumns, index, "streams");
    Stream stream;
    stream.id = idAt(tables.streamIds, index);
    stream.kind = static_cast<StreamKind>(row.whole("kind", 0, 3));
    stream.thread = row.index("thread", tables.threads.size());
    program.streams.push_back(stream);
  }
}

/// A region must lie in its buffer; host code reaches host memory only.
void checkRegion(const Program& program, const std::string& where, std::int32_t buffer, std::uint64_t offset,
                 std::uint64_t bytes, bool hostOnly) {
  if (buffer < 0) refuse(where, "it names no buffer");
  const Buffer& declared = program.buffers[static_cast<std::size_t>(buffer)];
  if (offset > declared.bytes || bytes > declared.bytes - offset) {
    refuse(where, "bytes " + std::to_string(offset) + " to " + std::to_string(offset + bytes) + " are not in buffer " +
                      declared.id + " of " + std::to_string(declared.bytes) + " bytes");
  }
  if (hostOnly && isDevice(declared)) refuse(where, "host code can't reach device buffer " + declared.id);
}

void checkBuffers(const Program& program, const Instruction& instruction, const std::string& where) {
  switch (instruction.code) {
    case Code::write:
    case Code::read:
      return checkRegion(program, where, instruction.src, instruction.srcOffset, instruction.bytes, true);
    case Code::copy:
      checkRegion(program, where, instruction.src, instruction.srcOffset, instruction.bytes, false);
      return checkRegion(program, where, instruction.dst, instruction.dstOffset, instruction.bytes, false);
    case Code::stream:
      checkRegion(program, where, instruction.src, 0, instruction.bytes, false);
      checkRegion(program, where, instruction.dst, 0, instruction.bytes, false);
      if (instruction.bytes % 4 != 0) refuse(where, "a stream kernel works on whole 32-bit words");
      if (!isDevice(program.buffers[static_cast<std::size_t>(instruction.src)]) ||
          !isDevice(program.buffers[static_cast<std::size_t>(instruction.dst)])) {
        refuse(where, "a stream kernel works on device memory");
      }
      return;
    default:
      return;
  }
}

void checkInstruction(const Program& program, const Instruction& instruction, const std::string& where) {
  const Code code = instruction.code;
  const bool needsStream = takesStream(code) || code == Code::synchronizeStream || code == Code::queryStream;
  const bool needsEvent = code == Code::recordEvent || code == Code::waitEvent || code == Code::synchronizeEvent ||
                          code == Code::queryEvent;
  const bool timed = code == Code::work || code == Code::spin;
  const bool counted = code == Code::stream || code == Code::repeat;
  if (needsStream && instruction.stream < 0) refuse(where, "it names no stream");
  if (needsEvent && instruction.event < 0) refuse(where, "it names no event");
  if (timed && static_cast<double>(instruction.amount) > maxDurationNs) refuse(where, "it lasts more than an hour");
  if (counted && (instruction.amount < 1 || static_cast<double>(instruction.amount) > maxCount)) {
    refuse(where, "its count is not between 1 and " + std::to_string(static_cast<int>(maxCount)));
  }
  if (code == Code::write && instruction.content.kind == PatternKind::none) refuse(where, "it writes no pattern");
  checkBuffers(program, instruction, where);
}

Instruction readInstruction(Row& row, const Program& program, std::size_t instructions) {
  Instruction instruction;
  instruction.code = static_cast<Code>(row.whole("code", 0, codeCount - 1));
  instruction.op = static_cast<std::int32_t>(row.whole("op", 0, 2147483647));
  instruction.stream = row.index("stream", program.streams.size());
  instruction.event = row.index("event", program.events.size());
  instruction.src = row.index("source", program.buffers.size());
  instruction.srcOffset = row.bytes("source offset");
  instruction.dst = row.index("destination", program.buffers.size());
  instruction.dstOffset = row.bytes("destination offset");
  instruction.bytes = row.bytes("bytes");
  instruction.amount = static_cast<std::int64_t>(row.number("amount", 0, maxDurationNs));
  instruction.jump = row.index("jump", instructions);
  instruction.content = row.content();
  instruction.blocking = row.whole("blocking", 0, 1) == 1;
  return instruction;
}

/// Each repeat and range must close in its own block, and a repeat's two ends must name each other.
void checkNesting(const std::vector<Instruction>& instructions, const std::string& where) {
  std::vector<std::size_t> open;
  for (std::size_t index = 0; index < instructions.size(); ++index) {
    const Code code = instructions[index].code;
    if (code == Code::repeat || code == Code::beginRange) open.push_back(index);
    if (open.size() > maxNesting) refuse(where, "its groups nest deeper than " + std::to_string(maxNesting));
    if (code != Code::endRepeat && code != Code::endRange) continue;
    const Code opener = code == Code::endRepeat ? Code::repeat : Code::beginRange;
    if (open.empty() || instructions[open.back()].code != opener) refuse(where, "its groups don't nest");
    const Instruction& first = instructions[open.back()];
    const bool linked = first.jump == static_cast<std::int32_t>(index) &&
                        instructions[index].jump == static_cast<std::int32_t>(open.back());
    if (code == Code::endRepeat && !linked) refuse(where, "a repeat's ends don't name each other");
    open.pop_back();
  }
  if (!open.empty()) refuse(where, "a group is not closed");
}

void readThreads(const ProgramTables& tables, Program& program) {
  if (tables.threads.empty() || tables.threads.size() > maxThreads) {
    refuse("threads", "there must be 1 to " + std::to_string(maxThreads) + " of them");
  }
  for (std::size_t thread = 0; thread < tables.threads.size(); ++thread) {
    const std::string name = rowName("threads", thread);
    const std::size_t count = rows(tables.threads[thread], instructionColumns, name.c_str());
    std::vector<Instruction> instructions;
    for (std::size_t index = 0; index < count; ++index) {
      Row row(tables.threads[thread], instructionColumns, index, (name + ".instructions").c_str());
      instructions.push_back(readInstruction(row, program, count));
      checkInstruction(program, instructions.back(), row.name());
    }
    checkNesting(instructions, name);
    program.threads.push_back(std::move(instructions));
  }
}

void readExpectations(const ProgramTables& tables, Program& program) {
  const std::size_t count = rows(tables.expectations, expectationColumns, "expectations");
  for (std::size_t index = 0; index < count; ++index) {
    Row row(tables.expectations, expectationColumns, index, "expectations");
    Expectation expectation;
    expectation.buffer = row.index("buffer", program.buffers.size());
    expectation.offset = row.bytes("offset");
    expectation.bytes = row.bytes("bytes");
    expectation.content = row.content();
    checkRegion(program, row.name(), expectation.buffer, expectation.offset, expectation.bytes, false);
    program.expectations.push_back(expectation);
  }
}

double setting(const char* name, double value, double least, double most) {
  const Table table{&value, 1};
  return Row(table, 1, 0, name).whole(name, least, most);
}

}  // namespace

Program readProgram(const ProgramTables& tables) {
  Program program;
  program.device = static_cast<std::int32_t>(setting("device", tables.device, 0, 63));
  program.iterations = static_cast<std::int32_t>(setting("iterations", tables.iterations, 1, 1000));
  program.warmups = static_cast<std::int32_t>(setting("warmups", tables.warmups, 0, 1000));
  const std::size_t events = rows(tables.events, 1, "events");
  for (std::size_t index = 0; index < events; ++index) {
    program.events.push_back(Row(tables.events, 1, index, "events").whole("timing", 0, 1) == 1);
  }
  readBuffers(tables, program);
  readStreams(tables, program);
  readThreads(tables, program);
  readExpectations(tables, program);
  return program;
}

}  // namespace copyscope
