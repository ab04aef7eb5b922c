#include "executor/instruction_check.h"

#include "executor/failure.h"

namespace copyscope {
namespace {

constexpr std::size_t maxNesting = 64;

void checkBuffers(const Program& program, const Instruction& instruction, const std::string& where) {
  const auto checkSource = [&](std::uint64_t bytes) {
    checkRegion(program, where, instruction.src, instruction.srcOffset, bytes);
  };
  const auto checkTarget = [&] {
    checkRegion(program, where, instruction.dst, instruction.dstOffset, instruction.bytes);
  };
  switch (instruction.code) {
    case Code::write:
    case Code::read:
    case Code::item:
      return checkSource(instruction.bytes);
    case Code::pin:
    case Code::copy:
    case Code::stream:
      checkSource(instruction.bytes);
      return checkTarget();
    case Code::blockCopy:
    case Code::packBlocks:
      for (const copy::Piece& block : program.blockTables[static_cast<std::size_t>(instruction.index)]) {
        checkRegion(program, where, instruction.src, reinterpret_cast<std::uintptr_t>(block.source), block.bytes);
        checkRegion(program, where, instruction.dst, reinterpret_cast<std::uintptr_t>(block.target), block.bytes);
      }
      return;
    case Code::memset:
      return checkTarget();
    case Code::allocate:
    case Code::free:
    case Code::recordStream:
      return checkSource(0);
    default:
      return;
  }
}

bool needsStream(Code code) {
  return takesStream(code) || code == Code::synchronizeStream || code == Code::queryStream || code == Code::allocate ||
         code == Code::free || code == Code::recordStream || code == Code::beginCapture || code == Code::endCapture ||
         code == Code::multiCopy || code == Code::makePlan;
}

bool needsEvent(Code code) {
  return code == Code::recordEvent || code == Code::waitEvent || code == Code::synchronizeEvent ||
         code == Code::queryEvent || code == Code::elapsedTime;
}

/// Returns the number of items of the kind that the instruction's index refers to; 0 if it refers to none.
std::size_t indexed(const Program& program, Code code) {
  switch (code) {
    case Code::signal:
    case Code::waitSignal:
      return program.signals.size();
    case Code::beginCapture:
    case Code::endCapture:
    case Code::launchGraph:
      return program.graphs.size();
    case Code::elapsedTime:
      return program.events.size();
    case Code::synchronizeDevice:
      return program.devices.size();
    case Code::multiCopy:
      return program.multiCopies.size();
    case Code::blockCopy:
    case Code::packBlocks:
      return program.blockTables.size();
    case Code::matmul:
    case Code::fft:
    case Code::makePlan:
      return program.libraryCalls.size();
    default:
      return 0;
  }
}

bool needsIndex(Code code) {
  return code == Code::signal || code == Code::waitSignal || code == Code::beginCapture || code == Code::endCapture ||
         code == Code::launchGraph || code == Code::elapsedTime || code == Code::synchronizeDevice ||
         code == Code::multiCopy || code == Code::makePlan || code == Code::blockCopy || code == Code::packBlocks ||
         isLibraryKernel(code);
}

bool opens(Code code) { return code == Code::repeat || code == Code::beginRange || code == Code::beginCapture; }

/// Returns the code that opens what `code` closes; `code` itself if it closes nothing.
Code openerOf(Code code) {
  switch (code) {
    case Code::endRepeat:
      return Code::repeat;
    case Code::endRange:
      return Code::beginRange;
    case Code::endCapture:
      return Code::beginCapture;
    default:
      return code;
  }
}

}  // namespace

void refuseProgram(const std::string& where, const std::string& reason) {
  throw Failure("native.bad-program", where + ": " + reason + ".",
                "Lower the experiment again with this version of the program.", where);
}

void checkRegion(const Program& program, const std::string& where, std::int32_t buffer, std::uint64_t offset,
                 std::uint64_t bytes) {
  if (buffer < 0) refuseProgram(where, "it names no buffer");
  const Buffer& declared = program.buffers[static_cast<std::size_t>(buffer)];
  if (offset > declared.bytes || bytes > declared.bytes - offset) {
    refuseProgram(where, "bytes " + std::to_string(offset) + " to " + std::to_string(offset + bytes) +
                             " are not in buffer " + declared.id + " of " + std::to_string(declared.bytes) + " bytes");
  }
}

void checkInstruction(const Program& program, const Instruction& instruction, const std::string& where) {
  const Code code = instruction.code;
  if (needsStream(code) && instruction.stream < 0) refuseProgram(where, "it names no stream");
  if (needsEvent(code) && instruction.event < 0) refuseProgram(where, "it names no event");
  const auto index = static_cast<std::size_t>(instruction.index < 0 ? 0 : instruction.index);
  if (needsIndex(code) && (instruction.index < 0 || index >= indexed(program, code))) {
    refuseProgram(where, "its index names nothing");
  }
  const bool allocates = code == Code::allocate || code == Code::free;
  if (allocates && instruction.amount >= allocatorCount) refuseProgram(where, "there is no such allocator");
  checkBuffers(program, instruction, where);
}

void checkNesting(const std::vector<Instruction>& instructions, const std::string& where) {
  std::vector<std::size_t> open;
  for (std::size_t index = 0; index < instructions.size(); ++index) {
    const Code code = instructions[index].code;
    if (opens(code)) open.push_back(index);
    if (open.size() > maxNesting) refuseProgram(where, "its groups nest deeper than " + std::to_string(maxNesting));
    const Code opener = openerOf(code);
    if (opener == code) continue;
    if (open.empty() || instructions[open.back()].code != opener) refuseProgram(where, "its groups don't nest");
    const Instruction& first = instructions[open.back()];
    const bool linked = first.jump == static_cast<std::int32_t>(index) &&
                        instructions[index].jump == static_cast<std::int32_t>(open.back());
    if (code == Code::endRepeat && !linked) refuseProgram(where, "a repeat's ends don't name each other");
    if (code == Code::endCapture && (first.index != instructions[index].index ||
                                     first.stream != instructions[index].stream)) {
      refuseProgram(where, "a capture's ends don't agree");
    }
    open.pop_back();
  }
  if (!open.empty()) refuseProgram(where, "a group is not closed");
}

}  // namespace copyscope
