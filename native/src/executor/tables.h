// Reads a program from the numeric tables of native/encode.ts. core/program/checks has checked it: here numbers must be
// in range, and the checksum must be the encoder's.
#pragma once

#include <string>
#include <vector>

#include "executor/program.h"

namespace copyscope {

/// One row of numbers after another, in the order of the fields in layout.h.
struct Table {
  const double* data = nullptr;
  std::size_t length = 0;
};

struct ProgramTables {
  double iterations = 1;
  double warmups = 0;
  std::vector<std::string> bufferIds;
  std::vector<std::string> streamIds;
  std::vector<std::string> signalIds;
  std::vector<std::string> graphIds;
  double launchBlocking = 0;
  double peerAccess = 0;
  double poolReleaseThreshold = 0;
  /// One position per row.
  Table devices;
  Table buffers;
  Table streams;
  Table events;
  /// One capacity per row.
  Table signals;
  std::vector<Table> threads;
  /// The device of each thread.
  Table threadDevices;
  Table expectations;
  Table libraryCalls;
  Table results;
  Table multiCopies;
  /// Bytes of each tensor, for each multi-tensor copy.
  std::vector<Table> multiCopySizes;
  /// Three numbers for each block: offsets in both buffers, and bytes.
  std::vector<Table> blockTables;
  double checksum = 0;
};

/// FNV-1a over the 32-bit words of all tables, as native/encode.ts takes it.
std::uint32_t checksumOf(const ProgramTables& tables);

/// Throws a Failure `native.bad-program` that names the table, the row and the value.
Program readProgram(const ProgramTables& tables);

}  // namespace copyscope
