#include "executor/instruction_check.h"

#include <optional>

#include "executor/failure.h"

namespace copyscope {
namespace {

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
    case Code::prefetch:
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
    case Code::advise:
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

/// Returns the number of items of the kind that the instruction's index refers to; none if it refers to nothing.
std::optional<std::size_t> indexed(const Program& program, Code code) {
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
      return std::nullopt;
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
  const std::optional<std::size_t> size = indexed(program, code);
  if (size && (instruction.index < 0 || static_cast<std::size_t>(instruction.index) >= *size)) {
    refuseProgram(where, "its index names nothing");
  }
  const bool allocates = code == Code::allocate || code == Code::free;
  if (allocates && instruction.amount >= allocatorCount) refuseProgram(where, "there is no such allocator");
  checkBuffers(program, instruction, where);
}

}  // namespace copyscope
