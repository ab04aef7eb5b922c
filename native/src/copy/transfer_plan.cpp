#include "transfer_plan.h"

#include <algorithm>

namespace copyscope::copy {
namespace {

/// Padding up to this goes over the link with the data; a second copy would cost more.
constexpr std::uint64_t mostPadding = 512;
/// Where a run starts in its slot.
constexpr std::uint64_t runAlignment = 64;

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
  }

  void add(const Transfer& transfer) {
    std::uint64_t done = 0;
    while (done < transfer.bytes) {
      makeRoom(transfer, done);
      const std::uint64_t room = std::min(chunkBytes_ - slotUsed_, unitBytes_ - unitUsed_);
      const std::uint64_t bytes = std::min(transfer.bytes - done, room);
      plan_.segments.push_back({transfer.host + done, bytes, slotUsed_});
      plan_.units.back().endSegment = segmentCount();
      LinkRun& run = plan_.runs.back();
      run.bytes += bytes;
      slotUsed_ += bytes;
      unitUsed_ += bytes;
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

  /// Sees to a chunk, a run and a unit that can take at least one more byte of the transfer.
  void makeRoom(const Transfer& transfer, std::uint64_t done) {
    if (plan_.chunks.empty() || !continueRun(transfer, done)) startRun(transfer, done);
    if (unitUsed_ >= unitBytes_) startUnit();
  }

  bool continueRun(const Transfer& transfer, std::uint64_t done) {
    LinkRun& run = plan_.runs.back();
    std::byte* const end = run.device + run.bytes;
    std::byte* const next = transfer.device + done;
    if (slotUsed_ >= chunkBytes_) return false;
    if (next == end) return true;
    const bool padded = done == 0 && transfer.storage != noStorage && transfer.storage == lastStorage_ && next > end;
    if (!padded) return false;
    const auto padding = static_cast<std::uint64_t>(next - end);
    if (padding > mostPadding || slotUsed_ + padding >= chunkBytes_) return false;
    run.bytes += padding;
    slotUsed_ += padding;
    return true;
  }

  void startRun(const Transfer& transfer, std::uint64_t done) {
    const std::uint64_t start = roundUp(slotUsed_, runAlignment);
    if (plan_.chunks.empty() || start >= chunkBytes_) {
      startChunk();
    } else {
      slotUsed_ = start;
    }
    plan_.runs.push_back({transfer.device + done, 0, slotUsed_});
  }

  void startChunk() {
    if (!plan_.chunks.empty()) closeChunk();
    plan_.chunks.push_back({0, runCount(), runCount(), 0});
    slotUsed_ = 0;
    startUnit();
  }

  void startUnit() {
    plan_.units.push_back({static_cast<std::uint32_t>(plan_.chunks.size() - 1), segmentCount(), segmentCount()});
    ++plan_.chunks.back().units;
    unitUsed_ = 0;
  }

  void closeChunk() {
    plan_.chunks.back().bytes = slotUsed_;
    plan_.chunks.back().endRun = runCount();
  }

  const std::uint64_t chunkBytes_;
  const std::uint64_t unitBytes_;
  TransferPlan& plan_;
  std::uint64_t slotUsed_ = 0;
  std::uint64_t unitUsed_ = 0;
  std::uint32_t lastStorage_ = noStorage;
};

}  // namespace

void planTransfers(const std::vector<Transfer>& transfers, std::uint64_t chunkBytes, std::uint64_t unitBytes,
                   TransferPlan& plan) {
  Planner planner(chunkBytes, unitBytes, plan);
  for (const Transfer& transfer : transfers) planner.add(transfer);
  planner.finish();
}

}  // namespace copyscope::copy
