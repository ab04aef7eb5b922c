#include "rows.h"

namespace copyscope {

RowKind rowKindOf(Code code) {
  switch (code) {
    case Code::copy:
    case Code::item:
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
  const auto memoryOf = [&](std::int32_t buffer) {
    return buffer < 0 ? Memory::none : program.buffers[static_cast<std::size_t>(buffer)].memory;
  };
  row.kind = rowKindOf(instruction.code);
  row.bytes = instruction.bytes;
  if (row.kind == RowKind::memset) row.dst = memoryOf(instruction.dst);
  if (row.kind != RowKind::copy) return;
  row.src = memoryOf(instruction.src);
  row.dst = instruction.code == Code::item ? Memory::pageable : memoryOf(instruction.dst);
}

}  // namespace copyscope
