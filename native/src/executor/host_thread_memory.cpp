// Memory that a host thread allocates and frees.
#include <cstring>

#include "executor/clock.h"
#include "executor/host_thread.h"

namespace copyscope {

/// The row is named after the CUDA call; it has the operation's label if a cache served.
void HostThread::allocateOrFree(const Instruction& instruction) {
  HostRow row = begin(instruction, RowKind::hostCall, CallName::none);
  row.name = instruction.code == Code::allocate ? backend_.allocate(instruction) : backend_.free(instruction);
  end(row);
}

void HostThread::recordStream(const Instruction& instruction) {
  const HostRow row = begin(instruction, RowKind::hostCall, CallName::none);
  backend_.recordStream(instruction);
  end(row);
}

/// Adds two rows: allocating the page-locked memory, and the host's own copy.
void HostThread::pin(const Instruction& instruction) {
  HostRow allocating = begin(instruction, RowKind::hostCall, CallName::none);
  allocating.name = backend_.allocatePinned(instruction.dst);
  end(allocating);
  HostRow copying = begin(instruction, RowKind::hostWork, CallName::none);
  copying.bytes = instruction.bytes;
  const std::byte* const source = backend_.host(instruction.src) + instruction.srcOffset;
  std::memcpy(backend_.host(instruction.dst) + instruction.dstOffset, source, instruction.bytes);
  end(copying);
}

}  // namespace copyscope
