#include "executor/tables.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "executor/instruction_check.h"
#include "executor/library_numbers.h"

namespace copyscope {
namespace {

constexpr double maxBytes = 1099511627776.0;      // 1 TiB
constexpr double maxAmount = 1e18;
constexpr double maxUint32 = 4294967295.0;
constexpr std::size_t maxEntries = 1000000;
constexpr std::size_t maxThreads = 64;
constexpr std::size_t maxDevices = 64;

std::string rowName(const char* table, std::size_t row) { return std::string(table) + "[" + std::to_string(row) + "]"; }

/// Checks a number of a table from outside. `what` names it.
double checked(const std::string& where, const char* what, double value, double least, double most) {
  if (!std::isfinite(value) || value < least || value > most) {
    refuseProgram(where, std::string(what) + " is " + std::to_string(value) + ", not between " + std::to_string(least) +
                             " and " + std::to_string(most));
  }
  return value;
}

double wholeNumber(const std::string& where, const char* what, double value, double least, double most) {
  if (checked(where, what, value, least, most) != std::floor(value)) {
    refuseProgram(where, std::string(what) + " is not a whole number");
  }
  return value;
}

/// One row of a table with these fields.
template <typename Field>
class Row {
 public:
  static constexpr std::size_t fields = FieldsOf<Field>::count;

  Row(const Table& table, std::size_t row, const char* name)
      : numbers_(table.data + fields * row), name_(rowName(name, row)) {}

  double number(Field field, double least, double most) const {
    return checked(name_, nameOf(field), at(field), least, most);
  }
  double whole(Field field, double least, double most) const {
    return wholeNumber(name_, nameOf(field), at(field), least, most);
  }
  bool flag(Field field) const { return whole(field, 0, 1) == 1; }
  std::uint64_t bytes(Field field) const { return static_cast<std::uint64_t>(whole(field, 0, maxBytes)); }
  std::uint32_t word(Field field, double most = maxUint32) const {
    return static_cast<std::uint32_t>(whole(field, 0, most));
  }
  /// Returns an index into a list of `size` items; -1 for no item.
  std::int32_t index(Field field, std::size_t size) const {
    return static_cast<std::int32_t>(whole(field, -1, static_cast<double>(size) - 1));
  }
  /// Returns one of an enumeration's numbers from `least` on.
  template <typename Enum>
  Enum name(Field field, int count, int least = 0) const {
    return static_cast<Enum>(whole(field, least, count - 1));
  }

  Content content() const {
    Content content;
    content.kind = name<PatternKind>(Field::patternKind, patternKindCount);
    content.value = word(Field::patternValue);
    content.offset = bytes(Field::patternOffset);
    content.multiplier = word(Field::multiplier);
    return content;
  }

  std::int32_t deviceOf(const Program& program) const {
    return static_cast<std::int32_t>(whole(Field::device, 0, static_cast<double>(program.devices.size()) - 1));
  }

  const std::string& where() const { return name_; }

 private:
  static const char* nameOf(Field field) { return FieldsOf<Field>::names[static_cast<std::size_t>(field)]; }
  double at(Field field) const { return numbers_[static_cast<std::size_t>(field)]; }

  const double* const numbers_;
  const std::string name_;
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

/// Calls `read(index, number, where)` for each number of a table with one number per row.
template <typename Read>
void forEachNumber(const Table& table, const char* name, const Read& read) {
  const std::size_t count = rows(table, 1, name);
  for (std::size_t index = 0; index < count; ++index) read(index, table.data[index], rowName(name, index));
}

std::int32_t deviceIndex(const Program& program, double number, const std::string& where) {
  const double most = static_cast<double>(program.devices.size()) - 1;
  return static_cast<std::int32_t>(wholeNumber(where, "device", number, 0, most));
}

void readBuffers(const ProgramTables& tables, Program& program) {
  using Fields = Row<BufferField>;
  const std::size_t count = rows(tables.buffers, Fields::fields, "buffers");
  for (std::size_t index = 0; index < count; ++index) {
    const Fields row(tables.buffers, index, "buffers");
    Buffer buffer;
    buffer.id = idAt(tables.bufferIds, index);
    // Excludes none and unknown, which no program declares.
    buffer.memory = row.name<Memory>(BufferField::memory, memoryCount, 1);
    if (buffer.memory == Memory::unknown) refuseProgram(row.where(), "its memory is unknown");
    buffer.bytes = static_cast<std::uint64_t>(row.whole(BufferField::bytes, 1, maxBytes));
    buffer.pattern.kind = row.name<PatternKind>(BufferField::patternKind, patternKindCount, 1);
    buffer.pattern.value = row.word(BufferField::patternValue);
    buffer.written = row.flag(BufferField::written);
    buffer.device = row.deviceOf(program);
    buffer.byOperation = row.flag(BufferField::byOperation);
    program.buffers.push_back(buffer);
  }
}

void readDevices(const ProgramTables& tables, Program& program) {
  program.devices.clear();
  forEachNumber(tables.devices, "devices", [&](std::size_t, double number, const std::string& where) {
    program.devices.push_back(static_cast<std::int32_t>(wholeNumber(where, "position", number, 0, 1023)));
  });
  const std::size_t count = program.devices.size();
  if (count < 1 || count > maxDevices) refuseProgram("devices", "there must be 1 to " + std::to_string(maxDevices));
}

void readSignals(const ProgramTables& tables, Program& program) {
  forEachNumber(tables.signals, "signals", [&](std::size_t index, double number, const std::string& where) {
    const auto capacity = static_cast<std::int64_t>(wholeNumber(where, "capacity", number, 1, 1e9));
    program.signals.push_back({idAt(tables.signalIds, index), capacity});
  });
}

void readStreams(const ProgramTables& tables, Program& program) {
  using Fields = Row<StreamField>;
  const std::size_t count = rows(tables.streams, Fields::fields, "streams");
  if (count > 2048) refuseProgram("streams", "more than 2048 of them");
  for (std::size_t index = 0; index < count; ++index) {
    const Fields row(tables.streams, index, "streams");
    Stream stream;
    stream.id = idAt(tables.streamIds, index);
    stream.kind = row.name<StreamKind>(StreamField::kind, streamKindCount);
    stream.thread = row.index(StreamField::thread, tables.threads.size());
    stream.device = row.deviceOf(program);
    stream.priority = static_cast<std::int32_t>(row.whole(StreamField::priority, -64, 64));
    program.streams.push_back(stream);
  }
}

Instruction readInstruction(const Row<InstructionField>& row, const Program& program, std::size_t instructions) {
  constexpr double maxIndex = 2147483647;
  using Field = InstructionField;
  Instruction instruction;
  instruction.code = row.name<Code>(Field::code, codeCount);
  instruction.op = static_cast<std::int32_t>(row.whole(Field::op, -1, maxIndex));
  instruction.stream = row.index(Field::stream, program.streams.size());
  instruction.event = row.index(Field::event, program.events.size());
  instruction.src = row.index(Field::src, program.buffers.size());
  instruction.srcOffset = row.bytes(Field::srcOffset);
  instruction.dst = row.index(Field::dst, program.buffers.size());
  instruction.dstOffset = row.bytes(Field::dstOffset);
  instruction.bytes = row.bytes(Field::bytes);
  instruction.amount = static_cast<std::int64_t>(row.number(Field::amount, 0, maxAmount));
  instruction.jump = row.index(Field::jump, instructions);
  instruction.content = row.content();
  instruction.blocking = row.flag(Field::blocking);
  instruction.index = static_cast<std::int32_t>(row.whole(Field::index, -1, maxIndex));
  instruction.share = row.number(Field::share, 0, 1);
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
    const std::size_t count = rows(tables.threads[thread], Row<InstructionField>::fields, name.c_str());
    std::vector<Instruction> instructions;
    for (std::size_t index = 0; index < count; ++index) {
      const Row<InstructionField> row(tables.threads[thread], index, (name + ".instructions").c_str());
      instructions.push_back(readInstruction(row, program, count));
      checkInstruction(program, instructions.back(), row.where());
    }
    program.threads.push_back(std::move(instructions));
  }
  forEachNumber(tables.threadDevices, "threadDevices", [&](std::size_t, double number, const std::string& where) {
    program.threadDevices.push_back(deviceIndex(program, number, where));
  });
}

void readExpectations(const ProgramTables& tables, Program& program) {
  using Fields = Row<ExpectationField>;
  const std::size_t count = rows(tables.expectations, Fields::fields, "expectations");
  for (std::size_t index = 0; index < count; ++index) {
    const Fields row(tables.expectations, index, "expectations");
    Expectation expectation;
    expectation.buffer = row.index(ExpectationField::buffer, program.buffers.size());
    expectation.offset = row.bytes(ExpectationField::offset);
    expectation.bytes = row.bytes(ExpectationField::bytes);
    expectation.content = row.content();
    checkRegion(program, row.where(), expectation.buffer, expectation.offset, expectation.bytes);
    program.expectations.push_back(expectation);
  }
}

/// Returns the bytes of a matrix, or of all transforms.
std::uint64_t bytesOf(const LibraryCall& call, std::int64_t rows, std::int64_t columns) {
  return static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(columns) * bytesOfNumber(call.type);
}

void readLibraryCalls(const ProgramTables& tables, Program& program) {
  constexpr double mostRows = 134217728.0;
  using Field = LibraryCallField;
  const std::size_t count = rows(tables.libraryCalls, Row<Field>::fields, "libraryCalls");
  for (std::size_t index = 0; index < count; ++index) {
    const Row<Field> row(tables.libraryCalls, index, "libraryCalls");
    LibraryCall call;
    call.type = row.name<LibraryType>(Field::dtype, libraryTypeCount);
    call.m = static_cast<std::int64_t>(row.whole(Field::m, 1, mostRows));
    call.n = static_cast<std::int64_t>(row.whole(Field::n, 1, 1000000));
    call.k = static_cast<std::int64_t>(row.whole(Field::k, 1, 65536));
    call.tf32 = row.flag(Field::tf32);
    call.firstUse = row.flag(Field::firstUse);
    call.other = row.index(Field::other, program.buffers.size());
    program.libraryCalls.push_back(call);
  }
}

void checkLibraryCall(const Program& program, const Instruction& instruction, const std::string& where) {
  const LibraryCall& call = libraryCallOf(program, instruction);
  const bool isTransform = instruction.code == Code::fft;
  if (isTransform != call.isTransform()) refuseProgram(where, "its library call is of another kind");
  const auto check = [&](std::int32_t buffer, std::int64_t rowCount, std::int64_t columns) {
    checkRegion(program, where, buffer, 0, bytesOf(call, rowCount, columns));
  };
  if (isTransform) {
    check(instruction.src, call.m, call.n);
    return check(instruction.dst, call.m, call.n);
  }
  check(instruction.src, call.m, call.k);
  check(call.other, call.k, call.n);
  check(instruction.dst, call.m, call.n);
}

void checkLibraryCalls(const Program& program) {
  for (std::size_t thread = 0; thread < program.threads.size(); ++thread) {
    for (const Instruction& instruction : program.threads[thread]) {
      if (isLibraryKernel(instruction.code)) checkLibraryCall(program, instruction, rowName("threads", thread));
    }
  }
}

void readResults(const ProgramTables& tables, Program& program) {
  using Field = ResultField;
  const std::size_t count = rows(tables.results, Row<Field>::fields, "results");
  for (std::size_t index = 0; index < count; ++index) {
    const Row<Field> row(tables.results, index, "results");
    LibraryResult result;
    result.call = row.index(Field::call, program.libraryCalls.size());
    if (result.call < 0) refuseProgram(row.where(), "it names no library call");
    result.buffer = row.index(Field::buffer, program.buffers.size());
    result.first = {row.name<PatternKind>(Field::patternKind, patternKindCount), row.word(Field::patternValue), 1,
                    row.bytes(Field::patternOffset)};
    result.second = {row.name<PatternKind>(Field::otherKind, patternKindCount), row.word(Field::otherValue), 1,
                     row.bytes(Field::otherOffset)};
    const LibraryCall& call = program.libraryCalls[static_cast<std::size_t>(result.call)];
    checkRegion(program, row.where(), result.buffer, 0, bytesOf(call, call.m, call.n));
    program.results.push_back(result);
  }
}

std::vector<std::uint64_t> readSizes(const Table& sizes, const std::string& name) {
  std::vector<std::uint64_t> bytes;
  forEachNumber(sizes, name.c_str(), [&](std::size_t, double number, const std::string& where) {
    bytes.push_back(static_cast<std::uint64_t>(wholeNumber(where, "bytes", number, 0, maxBytes)));
  });
  return bytes;
}

void readMultiCopies(const ProgramTables& tables, Program& program) {
  constexpr double mostOption = 1073741824.0;  // 1 GiB
  using Field = MultiCopyField;
  const std::size_t count = rows(tables.multiCopies, Row<Field>::fields, "multiCopies");
  if (count != tables.multiCopySizes.size()) refuseProgram("multiCopySizes", "there must be one for each plan");
  for (std::size_t index = 0; index < count; ++index) {
    const Row<Field> row(tables.multiCopies, index, "multiCopies");
    copy::MultiCopyPlan plan;
    copy::CopyOptions& options = plan.options;
    plan.direction = row.name<copy::Direction>(Field::direction, copy::directionCount);
    plan.pinned = row.flag(Field::pinned);
    options.strategy = row.name<copy::Strategy>(Field::strategy, copy::strategyCount);
    options.usePinnedStaging = row.flag(Field::usePinnedStaging);
    options.packCpuTensors = row.flag(Field::packCpuTensors);
    options.useBackgroundThread = row.flag(Field::useBackgroundThread);
    options.minPackedAlignmentBytes = static_cast<std::uint64_t>(row.whole(Field::minPackedAlignmentBytes, 1, mostOption));
    options.maxPackedChunkBytes = static_cast<std::uint64_t>(row.whole(Field::maxPackedChunkBytes, 1, mostOption));
    options.threads = row.word(Field::threads, 256);
    options.slotsPerThread = row.word(Field::slotsPerThread, 64);
    options.slotBytes = row.word(Field::slotBytes, mostOption);
    options.chunkBytes = row.word(Field::chunkBytes, mostOption);
    plan.sizes = readSizes(tables.multiCopySizes[index], rowName("multiCopySizes", index));
    program.multiCopies.push_back(std::move(plan));
  }
}

void readBlockTables(const ProgramTables& tables, Program& program) {
  for (std::size_t index = 0; index < tables.blockTables.size(); ++index) {
    const std::string name = rowName("blockTables", index);
    const std::vector<std::uint64_t> numbers = readSizes(tables.blockTables[index], name);
    if (numbers.size() % 3 != 0) refuseProgram(name, "each block needs three numbers");
    std::vector<copy::Piece> blocks;
    for (std::size_t at = 0; at < numbers.size(); at += 3) {
      blocks.push_back({reinterpret_cast<const std::byte*>(numbers[at]), reinterpret_cast<std::byte*>(numbers[at + 1]),
                        numbers[at + 2]});
    }
    program.blockTables.push_back(std::move(blocks));
  }
}

double setting(const char* name, double value, double least, double most) {
  return wholeNumber(rowName(name, 0), name, value, least, most);
}

}  // namespace

std::uint32_t checksumOf(const ProgramTables& tables) {
  std::uint32_t hash = 2166136261U;
  const auto add = [&hash](const Table& table) {
    for (std::size_t at = 0; at < table.length; ++at) {
      std::uint32_t words[2];
      std::memcpy(words, table.data + at, sizeof(words));
      for (const std::uint32_t word : words) hash = (hash ^ word) * 16777619U;
    }
  };
  for (const Table* table : {&tables.devices, &tables.buffers, &tables.streams, &tables.events, &tables.signals,
                             &tables.threadDevices, &tables.expectations, &tables.libraryCalls, &tables.results,
                             &tables.multiCopies}) {
    add(*table);
  }
  for (const Table& thread : tables.threads) add(thread);
  for (const Table& sizes : tables.multiCopySizes) add(sizes);
  for (const Table& blocks : tables.blockTables) add(blocks);
  return hash;
}

Program readProgram(const ProgramTables& tables) {
  if (tables.checksum != checksumOf(tables)) refuseProgram("checksum", "it is not that of these tables");
  Program program;
  program.iterations = static_cast<std::int32_t>(setting("iterations", tables.iterations, 1, 1000));
  program.warmups = static_cast<std::int32_t>(setting("warmups", tables.warmups, 0, 1000));
  program.launchBlocking = setting("launchBlocking", tables.launchBlocking, 0, 1) == 1;
  program.peerAccess = setting("peerAccess", tables.peerAccess, 0, 1) == 1;
  const double threshold = setting("poolReleaseThreshold", tables.poolReleaseThreshold, 0, maxBytes);
  program.poolReleaseThreshold = static_cast<std::uint64_t>(threshold);
  program.graphs = tables.graphIds;
  readDevices(tables, program);
  forEachNumber(tables.events, "events", [&](std::size_t, double number, const std::string& where) {
    program.events.push_back(wholeNumber(where, "timing", number, 0, 1) == 1);
  });
  readSignals(tables, program);
  readBuffers(tables, program);
  readStreams(tables, program);
  readMultiCopies(tables, program);
  readBlockTables(tables, program);
  readLibraryCalls(tables, program);
  readThreads(tables, program);
  checkLibraryCalls(program);
  readExpectations(tables, program);
  readResults(tables, program);
  return program;
}

}  // namespace copyscope
