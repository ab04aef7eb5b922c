#include "copy/transfer_plan.h"

#include <algorithm>

namespace copyscope::copy {
namespace {

class Planner {
 public:
  Planner(std::uint64_t chunkBytes, std::uint64_t unitBytes, TransferPlan& plan)
      : chunkBytes_(std::max<std::uint64_t>(1, chunkBytes)),
        unitBytes_(std::max<std::uint64_t>(1, unitBytes)),
        plan_(plan) {
    plan.segments.clear();
    plan.runs.clear();
    plan.units.clear();
    plan.chunks.clear();
    plan.gatherings.clear();
  }

  void add(const Transfer& transfer) {
    if (transfer.bytes == 0 || addWhole(transfer)) return;
    std::uint64_t done = 0;
    while (done < transfer.bytes) {
      makeRoom(transfer, done);
      const std::uint64_t room = std::min(chunkBytes_ - slotUsed_, unitBytes_ - unitUsed_);
      const std::uint64_t bytes = std::min(transfer.bytes - done, room);
      put(transfer, done, bytes);
      done += bytes;
    }
    lastStorage_ = transfer.storage;
  }

  void finish() {
    if (!plan_.chunks.empty()) closeChunk();
  }

 private:
  std::uint32_t segmentCount() const { return static_cast<std::uint32_t>(plan_.segments.size()); }
  std::uint32_t runCount() const { return static_cast<std::uint32_t>(plan_.runs.size()); }

  void put(const Transfer& transfer, std::uint64_t done, std::uint64_t bytes) {
    plan_.segments.push_back({transfer.host == nullptr ? nullptr : transfer.host + done, bytes, slotUsed_});
    runEnd_ += bytes;
    slotUsed_ += bytes;
    unitUsed_ += bytes;
  }

  /// Handles nearly all small tensors: the next piece of a run, within its unit and its chunk.
  bool addWhole(const Transfer& transfer) {
    if (transfer.storage != lastStorage_ || transfer.storage == noStorage) return false;
    const auto padding = static_cast<std::uint64_t>(transfer.device - runEnd_);
    if (padding > mostPadding || slotUsed_ + padding + transfer.bytes > chunkBytes_) return false;
    if (unitUsed_ + transfer.bytes > unitBytes_) return false;
    skip(padding);
    put(transfer, 0, transfer.bytes);
    return true;
  }

  /// Provides a chunk, a run and a unit that can take at least one more byte of the transfer.
  void makeRoom(const Transfer& transfer, std::uint64_t done) {
    if (plan_.chunks.empty() || !continueRun(transfer, done)) startRun(transfer, done);
    if (unitUsed_ >= unitBytes_) startUnit();
  }

  bool continueRun(const Transfer& transfer, std::uint64_t done) {
    std::byte* const next = transfer.device + done;
    if (slotUsed_ >= chunkBytes_) return false;
    if (done > 0) return next == runEnd_;
    const bool sameStorage = transfer.storage != noStorage && transfer.storage == lastStorage_;
    if (!sameStorage || next < runEnd_) return false;
    const auto padding = static_cast<std::uint64_t>(next - runEnd_);
    if (padding > mostPadding || slotUsed_ + padding >= chunkBytes_) return false;
    skip(padding);
    return true;
  }

  void skip(std::uint64_t padding) {
    runEnd_ += padding;
    slotUsed_ += padding;
  }

  void startRun(const Transfer& transfer, std::uint64_t done) {
    const std::uint64_t start = roundUp(slotUsed_, runAlignment);
    closeRun();
    if (plan_.chunks.empty() || start >= chunkBytes_) {
      startChunk();
    } else {
      slotUsed_ = start;
    }
    runEnd_ = transfer.device + done;
    plan_.runs.push_back({runEnd_, 0, slotUsed_});
  }

  void closeRun() {
    if (plan_.runs.empty()) return;
    LinkRun& run = plan_.runs.back();
    run.bytes = static_cast<std::uint64_t>(runEnd_ - run.device);
  }

  void startChunk() {
    if (!plan_.chunks.empty()) closeChunk();
    plan_.chunks.emplace_back();
    plan_.chunks.back().firstRun = plan_.chunks.back().endRun = runCount();
    slotUsed_ = 0;
    startUnit();
  }

  void startUnit() {
    closeUnit();
    plan_.units.push_back({static_cast<std::uint32_t>(plan_.chunks.size() - 1), segmentCount(), segmentCount()});
    ++plan_.chunks.back().units;
    unitUsed_ = 0;
  }

  void closeUnit() {
    if (!plan_.units.empty()) plan_.units.back().endSegment = segmentCount();
  }

  void closeChunk() {
    closeRun();
    closeUnit();
    plan_.chunks.back().bytes = slotUsed_;
    plan_.chunks.back().endRun = runCount();
  }

  const std::uint64_t chunkBytes_;
  const std::uint64_t unitBytes_;
  TransferPlan& plan_;
  /// End of the last run on the device.
  std::byte* runEnd_ = nullptr;
  std::uint64_t slotUsed_ = 0;
  std::uint64_t unitUsed_ = 0;
  std::uint32_t lastStorage_ = noStorage;
};

/// Returns the end of the runs from `first` on that a kernel may take.
std::uint32_t endOfSmall(const TransferPlan& plan, std::uint32_t first, std::uint32_t end) {
  std::uint32_t run = first;
  while (run < end && plan.runs[run].bytes <= mostGatheredBytes) ++run;
  return run;
}

void gatherChunk(TransferPlan& plan, Chunk& chunk) {
  for (std::uint32_t run = chunk.firstRun; run < chunk.endRun;) {
    const std::uint32_t end = endOfSmall(plan, run, chunk.endRun);
    if (end - run >= leastGatheredRuns) {
      const LinkRun& last = plan.runs[end - 1];
      const std::uint64_t start = plan.runs[run].slotOffset;
      plan.gatherings.push_back({run, end, start, last.slotOffset + last.bytes - start, chunk.pieces});
      for (std::uint32_t one = run; one < end; ++one) {
        chunk.pieces += static_cast<std::uint32_t>(piecesOf(plan.runs[one].bytes));
      }
    }
    run = std::max(end, run + 1);
  }
}

}  // namespace

std::uint32_t planGatherings(TransferPlan& plan) {
  std::uint32_t most = 0;
  for (Chunk& chunk : plan.chunks) {
    chunk.firstGathering = static_cast<std::uint32_t>(plan.gatherings.size());
    gatherChunk(plan, chunk);
    chunk.endGathering = static_cast<std::uint32_t>(plan.gatherings.size());
    most = std::max(most, chunk.pieces);
  }
  return most;
}

void planTransfers(const std::vector<Transfer>& transfers, std::uint64_t chunkBytes, std::uint64_t unitBytes,
                   TransferPlan& plan) {
  Planner planner(chunkBytes, unitBytes, plan);
  for (const Transfer& transfer : transfers) planner.add(transfer);
  planner.finish();
}

}  // namespace copyscope::copy
