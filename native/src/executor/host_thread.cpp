#include "executor/host_thread.h"

#include <cstring>

#include "executor/clock.h"
#include "executor/failure.h"
#include "executor/host_memory.h"

namespace copyscope {
namespace {

/// Reads every byte.
std::byte fold(const std::byte* data, std::uint64_t bytes) {
  std::byte folded{};
  for (std::uint64_t at = 0; at < bytes; ++at) folded ^= data[at];
  return folded;
}

}  // namespace

HostThread::HostThread(const Surroundings& surroundings, int thread, std::uint64_t rows, std::int32_t firstCorrelation)
    : program_(surroundings.program),
      instructions_(program_.threads[static_cast<std::size_t>(thread)]),
      backend_(surroundings.backend),
      signals_(surroundings.signals),
      multiCopies_(surroundings.multiCopies),
      stop_(surroundings.stop),
      thread_(thread),
      firstCorrelation_(firstCorrelation),
      remaining_(instructions_.size()),
      findings_(instructions_.size()) {
  // Written once and cleared, since a page's first touch costs more than a row.
  rows_.resize(rows * static_cast<std::uint64_t>(program_.iterations));
  rows_.clear();
  openRanges_.reserve(64);
}

void HostThread::run(int iteration) {
  iteration_ = iteration;
  nextCorrelation_ = firstCorrelation_;
  openRanges_.clear();
  capturing_ = false;
  const Instruction* instruction = nullptr;
  try {
    for (std::size_t next = 0; next < instructions_.size() && !stop_.requested();) {
      instruction = &instructions_[next];
      if (instruction->code == Code::copy && iteration_ < 0 && !program_.launchBlocking) {
        // Does the work of issue() in less code, since the driver evicts code from the first cache between two copies.
        ++next;
        backend_.issue(*instruction, 0);
      } else {
        step(*instruction, next);
      }
    }
  } catch (Failure& failure) {
    failure.op = instruction->op;
    throw;
  }
}

void HostThread::step(const Instruction& instruction, std::size_t& next) {
  const std::size_t here = next++;
  switch (instruction.code) {
    case Code::work:
      return work(instruction);
    case Code::write:
      return write(instruction);
    case Code::read:
      return read(instruction);
    case Code::synchronizeStream:
    case Code::synchronizeEvent:
    case Code::synchronizeDevice:
      return synchronize(instruction);
    case Code::queryStream:
    case Code::queryEvent:
      return query(instruction);
    case Code::repeat:
      remaining_[here] = instruction.amount;
      return;
    case Code::endRepeat:
      next = endRepeat(instruction, here);
      return;
    case Code::beginRange:
      return beginRange(instruction);
    case Code::endRange:
      return endRange();
    case Code::item:
      return item(instruction);
    case Code::beginCapture:
      return capture(instruction);
    case Code::endCapture:
      return endCapture(instruction);
    case Code::elapsedTime:
      return elapsedTime(instruction);
    case Code::allocate:
    case Code::free:
      return allocateOrFree(instruction);
    case Code::recordStream:
      return recordStream(instruction);
    case Code::pin:
      return pin(instruction);
    case Code::signal:
    case Code::waitSignal:
      return signal(instruction);
    case Code::multiCopy:
      return multiCopy(instruction);
    case Code::blockCopy:
      return blockCopy(instruction);
    case Code::packBlocks:
      return packBlocks(instruction);
    case Code::advise:
      return advise(instruction);
    case Code::makePlan:
      return makePlan(instruction);
    default:
      return issue(instruction);
  }
}

/// PyTorch's own time is work that belongs to no operation.
void HostThread::work(const Instruction& instruction) {
  const HostRow row = begin(instruction, RowKind::hostWork, CallName::none);
  stop_.busyUntil(nowNs() + instruction.amount);
  end(row);
}

std::size_t HostThread::endRepeat(const Instruction& instruction, std::size_t here) {
  const auto start = static_cast<std::size_t>(instruction.jump);
  return --remaining_[start] > 0 ? start + 1 : here + 1;
}

void HostThread::write(const Instruction& instruction) {
  HostRow row = begin(instruction, RowKind::hostWrite, CallName::none);
  row.bytes = instruction.bytes;
  writeContent(backend_.host(instruction.src) + instruction.srcOffset, instruction.bytes, instruction.content);
  end(row);
}

void HostThread::read(const Instruction& instruction) {
  HostRow row = begin(instruction, RowKind::hostRead, CallName::none);
  row.bytes = instruction.bytes;
  const std::byte* data = backend_.host(instruction.src) + instruction.srcOffset;
  if (instruction.content.kind == PatternKind::none) {
    seen_ = fold(data, instruction.bytes);
    return end(row);
  }
  const Comparison found = compareContent(data, instruction.bytes, instruction.content);
  end(row);
  if (iteration_ < 0) return;
  ReadFindings& findings = findings_[static_cast<std::size_t>(&instruction - instructions_.data())];
  if (findings.wrong == 0 && found.wrong > 0) findings.firstWrong = instruction.srcOffset + found.firstWrong;
  findings.op = instruction.op;
  findings.buffer = instruction.src;
  findings.checked += found.checked;
  findings.wrong += found.wrong;
}

void HostThread::beginRange(const Instruction& instruction) {
  if (iteration_ < 0) return;
  openRanges_.push_back(rows_.size());
  rows_.push_back(begin(instruction, RowKind::hostRange, CallName::none));
}

void HostThread::endRange() {
  if (iteration_ < 0) return;
  HostRow& row = rows_[openRanges_.back()];
  row.durationNs = nowNs() - row.startNs;
  openRanges_.pop_back();
}

/// Outside recorded iterations nothing is noted, not even the time: reading the clock costs more than all else here.
HostRow HostThread::begin(const Instruction& instruction, RowKind kind, CallName name) const {
  HostRow row;
  if (iteration_ < 0) return row;
  row.op = instruction.op;
  row.kind = kind;
  row.name = name;
  row.iteration = iteration_;
  row.thread = thread_;
  row.startNs = nowNs();
  return row;
}

void HostThread::end(const HostRow& row) {
  if (iteration_ < 0) return;
  const std::int64_t durationNs = nowNs() - row.startNs;
  rows_.push_back(row);
  rows_.back().durationNs = durationNs;
}

void HostThread::noteMemory() {
  if (iteration_ >= 0) backend_.noteMemory(iteration_);
}

std::vector<ReadFindings> HostThread::findings() const {
  std::vector<ReadFindings> found;
  for (const ReadFindings& findings : findings_) {
    if (findings.op >= 0) found.push_back(findings);
  }
  return found;
}

/// The row is named after the CUDA call; it has the operation's label if a cache served.
void HostThread::allocateOrFree(const Instruction& instruction) {
  HostRow row = begin(instruction, RowKind::hostCall, CallName::none);
  row.name = instruction.code == Code::allocate ? backend_.allocate(instruction) : backend_.free(instruction);
  end(row);
  noteMemory();
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
  noteMemory();
}

}  // namespace copyscope
