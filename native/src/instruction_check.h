// Requirements of each instruction: streams, events and buffers of the right kind, and amounts within bounds.
#pragma once

#include <string>

#include "program.h"

namespace copyscope {

/// Throws a Failure `native.bad-program` at `where`.
[[noreturn]] void refuseProgram(const std::string& where, const std::string& reason);

/// Requires that a region lies in its buffer, and that host code uses only host memory.
void checkRegion(const Program& program, const std::string& where, std::int32_t buffer, std::uint64_t offset,
                 std::uint64_t bytes, bool hostOnly);

void checkInstruction(const Program& program, const Instruction& instruction, const std::string& where);

/// Requires that repeats, ranges and captures close in their own block, and that a repeat's two ends name each other.
void checkNesting(const std::vector<Instruction>& instructions, const std::string& where);

}  // namespace copyscope
