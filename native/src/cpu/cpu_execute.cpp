// The threads of the CPU engine's streams.
#include <algorithm>
#include <cstring>

#include "cpu/cpu_backend.h"
#include "cpu/library_loops.h"

namespace copyscope {
namespace {

/// Copies and kernels check for a stop after each of these.
constexpr std::uint64_t sliceBytes = 4u << 20;
constexpr std::int64_t sliceFlops = 1 << 20;

bool isCopy(Code code) { return code == Code::copy || code == Code::item; }

}  // namespace

void CpuBackend::work(int stream) {
  Queue& own = queue(stream);
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    own.wake.wait(lock, [&] { return ending_ || own.completed < own.issued; });
    if (own.completed == own.issued) return;
    Command& command = own.ring[own.completed % own.ring.size()];
    waitUntilReady(lock, own, command);
    lock.unlock();
    if (command.graph != nullptr) {
      executeGraph(own, stream, command);
    } else {
      execute(own, stream, command);
    }
    lock.lock();
    command.graph.reset();
    ++own.completed;
    changed_.notify_all();
    for (Queue* const one : blocked_) one->wake.notify_one();
  }
}

void CpuBackend::waitUntilReady(std::unique_lock<std::mutex>& lock, Queue& own, const Command& command) {
  if (isReady(command)) return;
  blocked_.push_back(&own);
  own.wake.wait(lock, [&] { return isReady(command); });
  blocked_.erase(std::find(blocked_.begin(), blocked_.end(), &own));
}

void CpuBackend::execute(Queue& own, int stream, const Command& command) {
  DeviceRow row = rowOf(command, stream);
  const std::unique_lock<std::mutex> engine = lockEngine(own, *command.instruction);
  row.startNs = nowNs();
  executeWork(command);
  const bool isMark = row.kind == RowKind::eventRecord || row.kind == RowKind::eventWait;
  row.durationNs = isMark ? 0 : nowNs() - row.startNs;
  if (row.kind == RowKind::eventRecord) {
    const std::lock_guard<std::mutex> lock(mutex_);
    events_[static_cast<std::size_t>(command.instruction->event)].reachedNs = row.startNs;
  }
  if (command.correlation > 0) own.rows.push_back(row);
}

/// Locks the engine of a copy across the link; none for other work.
std::unique_lock<std::mutex> CpuBackend::lockEngine(const Queue& own, const Instruction& instruction) {
  if (!isCopy(instruction.code)) return {};
  const bool fromDevice = sourceMemory(*program_, instruction) == Memory::device;
  const bool toDevice = targetMemory(*program_, instruction) == Memory::device;
  if (fromDevice == toDevice) return {};
  return std::unique_lock<std::mutex>(engines_[static_cast<std::size_t>(own.device)][fromDevice ? 1 : 0]);
}

void CpuBackend::executeWork(const Command& command) {
  const Instruction& instruction = *command.instruction;
  switch (instruction.code) {
    case Code::copy:
    case Code::item:
      return executeCopy(command);
    case Code::spin:
      return stop_.sleepUntil(nowNs() + instruction.amount);
    case Code::stream:
      if (command.pieces != nullptr) return copy::copyEach(command.pieces, command.pieceCount, command.source, command.target);
      return executeStream(command);
    case Code::arithmetic:
      return executeArithmetic(instruction);
    case Code::matmul:
      return multiplyMatrices(libraryCallOf(*program_, instruction), command.source, command.second, command.target,
                              stop_);
    case Code::fft:
      return transformAll(libraryCallOf(*program_, instruction), command.source, command.target, stop_);
    case Code::memset:
      return executeMemset(command);
    case Code::hostFunction:
      return stop_.busyUntil(nowNs() + instruction.amount);
    default:
      return;
  }
}

void CpuBackend::executeCopy(const Command& command) {
  if (command.pieces != nullptr) return copy::copyEach(command.pieces, command.pieceCount, command.source, command.target);
  const Instruction& instruction = *command.instruction;
  std::byte scalar[4];
  std::byte* const target = instruction.code == Code::item ? scalar : command.target;
  const std::byte* source = command.isStaged ? command.staged.data() : command.source;
  for (std::uint64_t done = 0; done < instruction.bytes && !stop_.requested(); done += sliceBytes) {
    std::memmove(target + done, source + done, std::min(sliceBytes, instruction.bytes - done));
  }
}

void CpuBackend::executeMemset(const Command& command) {
  const Instruction& instruction = *command.instruction;
  for (std::uint64_t done = 0; done < instruction.bytes && !stop_.requested(); done += sliceBytes) {
    std::memset(command.target + done, static_cast<int>(instruction.amount),
                std::min(sliceBytes, instruction.bytes - done));
  }
}

void CpuBackend::executeStream(const Command& command) {
  const Instruction& instruction = *command.instruction;
  const std::byte* source = command.source;
  std::byte* const target = command.target;
  for (std::int64_t pass = 0; pass < instruction.amount; ++pass) {
    for (std::uint64_t from = 0; from < instruction.bytes; from += sliceBytes) {
      if (stop_.requested()) return;
      const std::uint64_t to = std::min(instruction.bytes, from + sliceBytes);
      for (std::uint64_t word = from; word < to; word += 4) {
        std::uint32_t value = 0;
        std::memcpy(&value, source + word, 4);
        value *= streamMultiplier;
        std::memcpy(target + word, &value, 4);
      }
    }
    source = target;
  }
}

/// Computes multiply-adds, two operations each, whose result the compiler can't remove.
void CpuBackend::executeArithmetic(const Instruction& instruction) {
  volatile float kept = 1;
  for (std::int64_t done = 0; done < instruction.amount && !stop_.requested(); done += sliceFlops) {
    const std::int64_t rounds = std::min(sliceFlops, instruction.amount - done) / 2;
    float value = kept;
    for (std::int64_t round = 0; round < rounds; ++round) value = value * 0.999F + 0.001F;
    kept = value;
  }
}

DeviceRow CpuBackend::rowOf(const Command& command, int stream) const {
  const Instruction& instruction = *command.instruction;
  DeviceRow row;
  row.op = instruction.op;
  row.correlation = command.correlation;
  row.iteration = iteration_;
  row.stream = stream;
  describeActivity(*program_, instruction, row);
  return row;
}

}  // namespace copyscope
