// Multi-tensor copies and block copies of a host thread, and their rows.
#include <mutex>

#include "copy/copy_observer.h"
#include "executor/clock.h"
#include "executor/failure.h"
#include "executor/host_thread.h"
#include "executor/multi_copies.h"
#include "executor/multi_copy_uses.h"
#include "executor/run_failures.h"

namespace copyscope {

/// In a loop each call has its own row and number. Otherwise the operation is one call, whose number all its copies
/// share. The host's own copies always have rows, on the lane of the copying thread.
class HostThread::CopyRows final : public CopyCalls {
 public:
  CopyRows(HostThread& thread, const Instruction& instruction)
      : thread_(thread),
        instruction_(instruction),
        isLoop_(copyscope::isLoop(thread.program_.multiCopies[static_cast<std::size_t>(instruction.index)])) {
    if (isLoop_) return;
    whole_ = row(RowKind::hostCall, CallName::none);
    whole_.correlation = nextCorrelation();
  }

  void finish() {
    if (!isLoop_) end(whole_);
  }

  void copy(void* target, const void* source, std::uint64_t bytes, copy::Direction direction) override {
    CopyPart part;
    part.stream = instruction_.stream;
    part.bytes = bytes;
    part.source = static_cast<const std::byte*>(source);
    part.target = static_cast<std::byte*>(target);
    part.src = direction == copy::Direction::h2d ? hostMemory(source, bytes) : Memory::device;
    part.dst = direction == copy::Direction::d2h ? hostMemory(target, bytes) : Memory::device;
    // Tensor.to allocates and copies.
    callFrontend(2);
    issue(part, CallName::memcpyAsync);
  }

  void copyPieces(const copy::Piece* pieces, std::size_t count) override {
    CopyPart part;
    part.stream = instruction_.stream;
    part.pieces = pieces;
    part.pieceCount = count;
    for (std::size_t index = 0; index < count; ++index) part.bytes += pieces[index].bytes;
    issue(part, CallName::launchKernel);
  }

  void synchronize() override {
    const HostRow waiting = row(RowKind::hostSync, CallName::streamSynchronize);
    thread_.backend_.synchronizeStream(instruction_.stream);
    if (isLoop_) end(waiting);
  }

  void waitFor(copy::CopyDevice& device, copy::EventRef event) override {
    const HostRow waiting = row(RowKind::hostSync, CallName::eventSynchronize);
    device.wait(event);
    if (isLoop_) end(waiting);
  }

  void hostCopied(unsigned worker, std::int64_t startNs, std::uint64_t bytes) override {
    HostRow copied = row(RowKind::hostWork, CallName::none);
    copied.startNs = startNs;
    copied.bytes = bytes;
    copied.worker = static_cast<std::int32_t>(worker);
    end(copied);
    callFrontend(1);
  }

 private:
  /// Only loops have an amount, and only their thread calls.
  void callFrontend(std::int64_t calls) {
    if (instruction_.amount == 0) return;
    Instruction own;
    own.amount = calls * instruction_.amount;
    thread_.work(own);
  }

  void issue(CopyPart& part, CallName name) {
    part.op = instruction_.op;
    HostRow calling = row(RowKind::hostCall, name);
    calling.correlation = isLoop_ ? nextCorrelation() : whole_.correlation;
    thread_.backend_.issuePart(part, calling.correlation);
    if (thread_.program_.launchBlocking) thread_.backend_.synchronizeStream(part.stream);
    if (isLoop_) end(calling);
  }

  std::int32_t nextCorrelation() {
    if (thread_.iteration_ < 0) return 0;
    const std::lock_guard<std::mutex> lock(mutex_);
    return thread_.nextCorrelation_++;
  }

  HostRow row(RowKind kind, CallName name) const {
    HostRow begun = thread_.begin(instruction_, kind, name);
    begun.worker = static_cast<std::int32_t>(copy::workerNumber());
    return begun;
  }

  void end(const HostRow& row) {
    const std::lock_guard<std::mutex> lock(mutex_);
    thread_.end(row);
  }

  Memory hostMemory(const void* memory, std::uint64_t bytes) const {
    return thread_.multiCopies_.isPinned(instruction_.index, memory, bytes) ? Memory::pinned : Memory::pageable;
  }

  HostThread& thread_;
  const Instruction& instruction_;
  const bool isLoop_;
  HostRow whole_;
  std::mutex mutex_;
};

void HostThread::multiCopy(const Instruction& instruction) {
  if (capturing_) throw captureForbids("A multi-tensor copy");
  CopyRows rows(*this, instruction);
  try {
    multiCopies_.run(instruction.index, rows);
  } catch (const Failure& failure) {
    backend_.makeCurrent(thread_);
    // The executor reports the reason of the stop.
    if (failure.code == "copy.cancelled") return;
    throw;
  }
  backend_.makeCurrent(thread_);
  rows.finish();
}

void HostThread::blockCopy(const Instruction& instruction) {
  if (capturing_) throw captureForbids("A block copy");
  const copy::Piece* const blocks = backend_.blockTable(instruction.index);
  const bool isPitched = instruction.amount != 0;
  const CallName name = isPitched              ? CallName::memcpy2DAsync
                        : instruction.blocking ? CallName::memcpyBatchAsync
                                               : CallName::launchKernel;
  HostRow row = begin(instruction, RowKind::hostCall, name);
  CopyPart part;
  part.op = instruction.op;
  part.stream = instruction.stream;
  part.bytes = instruction.bytes;
  part.src = sourceMemory(program_, instruction);
  part.dst = targetMemory(program_, instruction);
  part.source = backend_.host(instruction.src);
  part.target = backend_.host(instruction.dst);
  part.pieces = blocks;
  part.pieceCount = program_.blockTables[static_cast<std::size_t>(instruction.index)].size();
  part.isBatch = instruction.blocking;
  part.isPitched = isPitched;
  part.share = instruction.share;
  if (iteration_ >= 0) row.correlation = nextCorrelation_++;
  backend_.issuePart(part, row.correlation);
  if (program_.launchBlocking) backend_.synchronizeStream(instruction.stream);
  end(row);
}

void HostThread::packBlocks(const Instruction& instruction) {
  HostRow row = begin(instruction, RowKind::hostWork, CallName::none);
  row.bytes = instruction.bytes;
  const std::vector<copy::Piece>& blocks = program_.blockTables[static_cast<std::size_t>(instruction.index)];
  copy::copyEach(blocks.data(), blocks.size(), backend_.host(instruction.src), backend_.host(instruction.dst));
  end(row);
}

}  // namespace copyscope
