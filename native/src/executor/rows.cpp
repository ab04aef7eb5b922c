#include "executor/rows.h"

namespace copyscope {

RowKind rowKindOf(Code code) {
  switch (code) {
    case Code::copy:
    case Code::item:
    case Code::prefetch:
      return RowKind::copy;
    case Code::memset:
      return RowKind::memset;
    case Code::hostFunction:
      return RowKind::hostFunction;
    case Code::recordEvent:
      return RowKind::eventRecord;
    case Code::waitEvent:
      return RowKind::eventWait;
    default:
      return RowKind::kernel;
  }
}

void describeActivity(const Program& program, const Instruction& instruction, DeviceRow& row) {
  row.kind = rowKindOf(instruction.code);
  row.bytes = instruction.bytes;
  if (row.kind == RowKind::memset) row.dst = targetMemory(program, instruction);
  if (row.kind != RowKind::copy) return;
  if (instruction.code == Code::prefetch) {
    row.src = instruction.amount == 1 ? Memory::managed : Memory::device;
    row.dst = instruction.amount == 1 ? Memory::device : Memory::managed;
    return;
  }
  row.src = sourceMemory(program, instruction);
  row.dst = instruction.code == Code::item ? Memory::pageable : targetMemory(program, instruction);
}

}  // namespace copyscope
