// Reads a program from the numeric tables that native/encode.ts writes, and refuses whatever is not in range.
#pragma once

#include <string>
#include <vector>

#include "program.h"

namespace copyscope {

/// One row of numbers after another.
struct Table {
  const double* data = nullptr;
  std::size_t length = 0;
};

struct ProgramTables {
  double device = 0;
  double iterations = 1;
  double warmups = 0;
  std::vector<std::string> bufferIds;
  std::vector<std::string> streamIds;
  Table buffers;
  Table streams;
  Table events;
  std::vector<Table> threads;
  Table expectations;
};

/// Columns of each table, as native/encode.ts fills them.
constexpr std::size_t bufferColumns = 5;
constexpr std::size_t streamColumns = 2;
constexpr std::size_t instructionColumns = 16;
constexpr std::size_t expectationColumns = 7;

/// Throws a Failure `native.bad-program` that names the table, the row and the value.
Program readProgram(const ProgramTables& tables);

}  // namespace copyscope
