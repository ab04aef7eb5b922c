#include "tables.h"

#include <algorithm>
#include <cmath>

#include "instruction_check.h"
#include "multi_copy_uses.h"

namespace copyscope {
namespace {

constexpr double maxBytes = 1099511627776.0;      // 1 TiB
constexpr double maxAmount = 1e18;
constexpr double maxUint32 = 4294967295.0;
constexpr std::size_t maxEntries = 1000000;
constexpr std::size_t maxThreads = 64;
constexpr std::size_t maxDevices = 64;

std::string rowName(const char* table, std::size_t row) { return std::string(table) + "[" + std::to_string(row) + "]"; }

/// One row of a table; reads its columns in turn.
class Row {
 public:
  Row(const Table& table, std::size_t columns, std::size_t row, const char* name)
      : next_(table.data + columns * row), name_(rowName(name, row)) {}

  double number(const char* what, double least, double most) {
    const double value = *next_++;
    if (!std::isfinite(value) || value < least || value > most) {
      refuseProgram(name_, std::string(what) + " is " + std::to_string(value) + ", not between " + std::to_string(least) +
                        " and " + std::to_string(most));
    }
    return value;
  }

  double whole(const char* what, double least, double most) {
    const double value = number(what, least, most);
    if (value != std::floor(value)) refuseProgram(name_, std::string(what) + " is not a whole number");
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

  std::int32_t deviceOf(const Program& program) {
    return static_cast<std::int32_t>(whole("device", 0, static_cast<double>(program.devices.size()) - 1));
  }

  const std::string& name() const { return name_; }

 private:
  const double* next_;
  std::string name_;
};

std::size_t rows(const Table& table, std::size_t columns, const char* name) {
  if (table.length % columns != 0) refuseProgram(name, "its length is not a multiple of " + std::to_string(columns));
  const std::size_t count = table.length / columns;
  if (count > maxEntries) refuseProgram(name, std::to_string(count) + " rows are more than " + std::to_string(maxEntries));
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
    buffer.memory = static_cast<Memory>(row.whole("memory", 1, static_cast<double>(Memory::device)));
    buffer.bytes = row.bytes("bytes");
    if (buffer.bytes == 0) refuseProgram(row.name(), "it has no bytes");
    buffer.pattern.kind = static_cast<PatternKind>(row.whole("pattern kind", 1, 3));
    buffer.pattern.value = static_cast<std::uint32_t>(row.whole("pattern value", 0, maxUint32));
    buffer.written = row.whole("written", 0, 1) == 1;
    buffer.device = row.deviceOf(program);
    buffer.byOperation = row.whole("by operation", 0, 1) == 1;
    program.buffers.push_back(buffer);
  }
}

void readDevices(const ProgramTables& tables, Program& program) {
  const std::size_t count = rows(tables.devices, 1, "devices");
  if (count < 1 || count > maxDevices) refuseProgram("devices", "there must be 1 to " + std::to_string(maxDevices));
  program.devices.clear();
  for (std::size_t index = 0; index < count; ++index) {
    Row row(tables.devices, 1, index, "devices");
    program.devices.push_back(static_cast<std::int32_t>(row.whole("position", 0, 1023)));
  }
}

void readSignals(const ProgramTables& tables, Program& program) {
  const std::size_t count = rows(tables.signals, 1, "signals");
  for (std::size_t index = 0; index < count; ++index) {
    Row row(tables.signals, 1, index, "signals");
    program.signals.push_back({idAt(tables.signalIds, index), static_cast<std::int64_t>(row.whole("capacity", 1, 1e9))});
  }
}

void readStreams(const ProgramTables& tables, Program& program) {
  const std::size_t count = rows(tables.streams, streamColumns, "streams");
  if (count > 2048) refuseProgram("streams", "more than 2048 of them");
  for (std::size_t index = 0; index < count; ++index) {
    Row row(tables.streams, streamColumns, index, "streams");
    Stream stream;
    stream.id = idAt(tables.streamIds, index);
    stream.kind = static_cast<StreamKind>(row.whole("kind", 0, 3));
    stream.thread = row.index("thread", tables.threads.size());
    stream.device = row.deviceOf(program);
    stream.priority = static_cast<std::int32_t>(row.whole("priority", -64, 64));
    program.streams.push_back(stream);
  }
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
  instruction.amount = static_cast<std::int64_t>(row.number("amount", 0, maxAmount));
  instruction.jump = row.index("jump", instructions);
  instruction.content = row.content();
  instruction.blocking = row.whole("blocking", 0, 1) == 1;
  instruction.index = static_cast<std::int32_t>(row.whole("index", -1, 2147483647));
  instruction.share = row.number("share", 0, 1);
  if (instruction.code == Code::item && instruction.src >= 0) {
    constexpr std::uint64_t scalarBytes = 4;
    instruction.bytes = std::min(scalarBytes, program.buffers[static_cast<std::size_t>(instruction.src)].bytes);
  }
  return instruction;
}

void readThreads(const ProgramTables& tables, Program& program) {
  if (tables.threads.empty() || tables.threads.size() > maxThreads) {
    refuseProgram("threads", "there must be 1 to " + std::to_string(maxThreads) + " of them");
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
  const std::size_t devices = rows(tables.threadDevices, 1, "threadDevices");
  for (std::size_t thread = 0; thread < devices; ++thread) {
    program.threadDevices.push_back(Row(tables.threadDevices, 1, thread, "threadDevices").deviceOf(program));
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

std::vector<std::uint64_t> readSizes(const Table& sizes, const std::string& name) {
  const std::size_t count = rows(sizes, 1, name.c_str());
  std::vector<std::uint64_t> bytes;
  double total = 0;
  for (std::size_t tensor = 0; tensor < count; ++tensor) {
    bytes.push_back(Row(sizes, 1, tensor, name.c_str()).bytes("bytes"));
    total += static_cast<double>(bytes.back());
  }
  if (total > maxBytes) refuseProgram(name, "its tensors have more than 1 TiB together");
  return bytes;
}

/// Adds the relays' devices to the plan's options, and their streams to the program.
void readRelays(const Table& relays, const std::string& name, copy::MultiCopyPlan& plan, Program& program) {
  std::vector<RelayStreams> streams;
  const std::size_t count = rows(relays, relayColumns, name.c_str());
  const bool crosses = plan.direction == copy::Direction::h2d || plan.direction == copy::Direction::d2h;
  if (count > 0 && (plan.options.strategy != copy::Strategy::pipelined || !crosses)) {
    refuseProgram(name, "only pipelined copies from and to the host have relays");
  }
  for (std::size_t relay = 0; relay < count; ++relay) {
    Row row(relays, relayColumns, relay, name.c_str());
    const std::int32_t device = row.deviceOf(program);
    RelayStreams both;
    for (std::int32_t* const stream : {&both.link, &both.peer}) {
      *stream = row.index("stream", program.streams.size());
      const bool isThere = *stream >= 0 && program.streams[static_cast<std::size_t>(*stream)].device == device;
      if (!isThere) refuseProgram(row.name(), "its streams must be of its device");
    }
    plan.options.relays.push_back(device);
    streams.push_back(both);
  }
  program.multiCopyRelays.push_back(std::move(streams));
}

void readMultiCopies(const ProgramTables& tables, Program& program) {
  constexpr double mostOption = 1073741824.0;  // 1 GiB
  const std::size_t count = rows(tables.multiCopies, multiCopyColumns, "multiCopies");
  if (count != tables.multiCopySizes.size()) refuseProgram("multiCopySizes", "there must be one for each plan");
  if (count != tables.multiCopyRelays.size()) refuseProgram("multiCopyRelays", "there must be one for each plan");
  for (std::size_t index = 0; index < count; ++index) {
    Row row(tables.multiCopies, multiCopyColumns, index, "multiCopies");
    copy::MultiCopyPlan plan;
    copy::CopyOptions& options = plan.options;
    plan.direction = static_cast<copy::Direction>(row.whole("direction", 0, 3));
    plan.pinned = row.whole("pinned", 0, 1) == 1;
    options.strategy = static_cast<copy::Strategy>(row.whole("strategy", 0, copy::strategyCount - 1));
    options.usePinnedStaging = row.whole("use_pinned_staging", 0, 1) == 1;
    options.packCpuTensors = row.whole("pack_cpu_tensors", 0, 1) == 1;
    options.useBackgroundThread = row.whole("use_background_thread", 0, 1) == 1;
    options.minPackedAlignmentBytes = static_cast<std::uint64_t>(row.whole("alignment", 1, mostOption));
    options.maxPackedChunkBytes = static_cast<std::uint64_t>(row.whole("packed chunk", 1, mostOption));
    options.threads = static_cast<std::uint32_t>(row.whole("threads", 0, 256));
    options.slotsPerThread = static_cast<std::uint32_t>(row.whole("slots of each thread", 0, 64));
    options.slotBytes = static_cast<std::uint64_t>(row.whole("slot", 0, mostOption));
    options.chunkBytes = static_cast<std::uint64_t>(row.whole("chunk", 0, mostOption));
    options.relayBytes = static_cast<std::uint64_t>(row.whole("relay slots", 0, mostOption));
    readRelays(tables.multiCopyRelays[index], rowName("multiCopyRelays", index), plan, program);
    plan.sizes = readSizes(tables.multiCopySizes[index], rowName("multiCopySizes", index));
    program.multiCopies.push_back(std::move(plan));
  }
}

/// A payload has one place to be verified in, so each plan belongs to one instruction.
void checkPlans(const Program& program) {
  std::vector<bool> used(program.multiCopies.size());
  for (const MultiCopyUse& use : multiCopyUses(program)) {
    const auto plan = static_cast<std::size_t>(use.plan);
    if (used[plan]) refuseProgram(rowName("multiCopies", plan), "two instructions name it");
    used[plan] = true;
    const std::int32_t own = program.streams[static_cast<std::size_t>(use.stream)].device;
    for (const int relay : program.multiCopies[plan].options.relays) {
      if (relay == own) refuseProgram(rowName("multiCopyRelays", plan), "its own device is one of them");
    }
  }
}

double setting(const char* name, double value, double least, double most) {
  const Table table{&value, 1};
  return Row(table, 1, 0, name).whole(name, least, most);
}

}  // namespace

Program readProgram(const ProgramTables& tables) {
  Program program;
  program.iterations = static_cast<std::int32_t>(setting("iterations", tables.iterations, 1, 1000));
  program.warmups = static_cast<std::int32_t>(setting("warmups", tables.warmups, 0, 1000));
  program.launchBlocking = setting("launchBlocking", tables.launchBlocking, 0, 1) == 1;
  program.peerAccess = setting("peerAccess", tables.peerAccess, 0, 1) == 1;
  program.graphs = tables.graphIds;
  readDevices(tables, program);
  const std::size_t events = rows(tables.events, 1, "events");
  for (std::size_t index = 0; index < events; ++index) {
    program.events.push_back(Row(tables.events, 1, index, "events").whole("timing", 0, 1) == 1);
  }
  readSignals(tables, program);
  readBuffers(tables, program);
  readStreams(tables, program);
  readMultiCopies(tables, program);
  readThreads(tables, program);
  checkPlans(program);
  readExpectations(tables, program);
  return program;
}

}  // namespace copyscope
