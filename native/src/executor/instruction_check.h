// Bounds of the streams, events, indices and regions that an instruction names.
#pragma once

#include <string>

#include "executor/program.h"

namespace copyscope {

/// Throws a Failure `native.bad-program` at `where`.
[[noreturn]] void refuseProgram(const std::string& where, const std::string& reason);

/// Requires that a region lies in its buffer.
void checkRegion(const Program& program, const std::string& where, std::int32_t buffer, std::uint64_t offset,
                 std::uint64_t bytes);

void checkInstruction(const Program& program, const Instruction& instruction, const std::string& where);

}  // namespace copyscope
