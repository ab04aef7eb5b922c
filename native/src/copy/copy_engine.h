// Moves batches of tensors between host and device by a strategy of choice. One batch at a time; thread-safe.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "copy_device.h"
#include "copy_observer.h"
#include "memory_pool.h"
#include "slot_ring.h"
#include "transfer_plan.h"
#include "worker_pool.h"

namespace copyscope::copy {

/// Cores from which on threads wait busily; where they are few, they would be in each other's way.
constexpr unsigned coresToSpin = 4;

struct EngineCounts {
  PoolCounts pinned;
  PoolCounts device;
  std::uint64_t eventsMade = 0;
  std::uint64_t threadsStarted = 0;
  std::uint64_t ringBytes = 0;
};

/// What a steady state must leave as it is.
inline std::uint64_t allocationsOf(const EngineCounts& counts) {
  return counts.pinned.allocations + counts.device.allocations + counts.eventsMade + counts.threadsStarted;
}

/// Bytes up to which the caller of submitSmall fills the slots itself, with the workers' help: handing the batch to
/// another thread would take longer. The first is for machines with few cores, where nobody helps.
constexpr std::uint64_t smallBatchBytes = 256u << 10;
constexpr std::uint64_t helpedBatchBytes = 4096u << 10;

/// Numbers that a batch is run with: those asked for, or those chosen from payload and cores.
struct Tuning {
  unsigned threads = 1;
  std::uint32_t slots = 1;
  std::uint64_t slotBytes = 0;
  std::uint64_t chunkBytes = 0;
  std::uint64_t unitBytes = 0;
  /// Whether slots, and D2H the targets, are filled past the caches.
  bool streamingSlots = false;
  bool streamingTargets = false;
};
Tuning chooseTuning(const CopyOptions& options, std::uint64_t payload, unsigned cores);
/// Whether the targets of a D2H batch are filled past the caches.
bool streamsTargets(const CopyOptions& options, std::uint64_t payload);
/// Threads that work on a batch at most, unless more are asked for; the caller is one of them.
unsigned threadsAtMost(unsigned cores);

/// Says where tensor number `transfer` of a batch lies on the host. Called for one after another on the submitting thread,
/// while others copy those found before.
using FindSource = std::function<std::byte*(std::size_t transfer)>;

class CopyEngine {
 public:
  /// `pinnedBudget`: bytes of page-locked memory it may hold; 0 for a quarter of the memory that is available now. Where
  /// the device's is ordinary memory, it is only for what is kept.
  explicit CopyEngine(std::unique_ptr<CopyDevice> device, std::uint64_t pinnedBudget = 0,
                      Budget budgetFor = Budget::held);
  ~CopyEngine();
  CopyEngine(const CopyEngine&) = delete;
  CopyEngine& operator=(const CopyEngine&) = delete;

  CopyDevice& device() { return *device_; }
  MemoryPool& pinnedMemory() { return *pinned_; }
  MemoryPool& deviceMemory() { return *memory_; }
  StreamRef defaultStream() const { return stream_.get(); }

  /// Returns when all data is where it belongs. Throws Failure (`copy.cancelled` where `cancelled` became true); then
  /// nothing uses the batch's memory any more, and its targets hold some of the data. `observer` hears of it.
  void run(const Batch& batch, const CopyOptions& options, StreamRef stream,
           const std::atomic<bool>* cancelled = nullptr, CopyObserver* observer = nullptr);

  /// Whether a batch is one for submitSmall().
  bool isSmall(const Batch& batch, const CopyOptions& options) const;
  /// Packs a small H2D batch for the pipelined strategy and submits it, without waiting for its arrival; null where the
  /// batch is another, or the engine is busy. The event may go back by putBack(). With `find` the batch needn't say where
  /// the tensors lie on the host, and none of them is page-locked.
  OwnedCopyEvent submitSmall(const Batch& batch, const CopyOptions& options, StreamRef stream,
                             const FindSource& find = nullptr);
  void putBack(OwnedCopyEvent event);
  /// Starts waking workers for a batch of about this size that comes in a moment.
  void rouse(std::uint64_t payload);

  EngineCounts counts();
  /// Whether page-locked memory of this engine is in use outside its ring, so that it is worth looking for.
  bool holdsPinnedResults() const { return pinned_->counts().usedBytes > ringReserve_.load(); }
  /// Gives memory that is not in use back to the system, the ring's included.
  void trim();

 private:
  struct Job;

  void runLocked(Job& job);
  void loop(Job& job, bool waitEach);
  void pinned(Job& job, bool waitEach);
  void threadedPinning(Job& job);
  void packed(Job& job);
  void pipelined(Job& job);
  /// Puts everything into the stream; in D2H, takes it out of the slots too.
  void passThroughRing(Job& job, const std::vector<Transfer>& transfers);
  OwnedCopyEvent takeEvent();
  void hostToHost(Job& job);
  void deviceToDevice(Job& job);
  template <typename Put>
  void forEachRun(Job& job, const std::vector<Transfer>& transfers, const Put& put);
  void copyWithinDevice(Job& job);
  void copyDirect(Job& job);
  bool gatherDirect(Job& job, std::size_t first, std::size_t end);
  void plan(Job& job, const std::vector<Transfer>& transfers);
  void submitChunk(Job& job, std::size_t chunk);
  void submitRun(Job& job, const Slot& slot, const LinkRun& run);
  void submitGathering(Job& job, const Slot& slot, const Gathering& gathering);
  void fillUnit(Job& job, const Unit& unit, std::byte* slot);
  void emptyUnit(Job& job, const Unit& unit, const std::byte* slot);
  void fillSlots(Job& job);
  void findSources(const Job& job);
  void emptySlots(Job& job);
  void copyOne(Job& job, const Transfer& transfer);
  void finish(Job& job);
  void endQuietly(StreamRef stream) noexcept;
  BlockRef staging(std::uint64_t bytes);

  std::shared_ptr<CopyDevice> device_;
  std::shared_ptr<MemoryPool> pinned_;
  std::shared_ptr<MemoryPool> memory_;
  OwnedCopyStream stream_;
  OwnedCopyEvent done_;
  std::mutex eventMutex_;
  std::vector<OwnedCopyEvent> spareEvents_;
  std::uint64_t eventsMade_ = 1;
  const unsigned cores_;
  std::mutex mutex_;
  std::unique_ptr<SlotRing> ring_;
  /// Bytes that the ring has taken from the pinned pool.
  std::atomic<std::uint64_t> ringReserve_{0};
  std::unique_ptr<WorkerPool> workers_;
  TransferPlan plan_;
  std::vector<Transfer> staged_;
  std::vector<Transfer> direct_;
  std::vector<Transfer> directRuns_;
  /// Per chunk: units that are not done, and whether it has been submitted.
  std::vector<std::atomic<std::uint32_t>> remaining_;
  std::vector<std::atomic<bool>> submitted_;
  /// Segments of the plan whose place on the host is known.
  std::atomic<std::uint32_t> found_{0};
};

}  // namespace copyscope::copy
