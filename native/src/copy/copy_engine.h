// Copies batches of tensors between host and device by a chosen strategy. One batch at a time; thread-safe.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "copy/copy_device.h"
#include "copy/copy_observer.h"
#include "copy/memory_pool.h"
#include "copy/slot_ring.h"
#include "copy/transfer_plan.h"
#include "copy/worker_pool.h"

namespace copyscope::copy {

/// Number of cores from which threads spin; on fewer cores they would disturb each other.
constexpr unsigned coresToSpin = 4;

struct EngineCounts {
  PoolCounts pinned;
  PoolCounts device;
  std::uint64_t eventsMade = 0;
  std::uint64_t threadsStarted = 0;
  std::uint64_t ringBytes = 0;
};

/// Sum of allocations that a steady state must not change.
inline std::uint64_t allocationsOf(const EngineCounts& counts) {
  return counts.pinned.allocations + counts.device.allocations + counts.eventsMade + counts.threadsStarted;
}

/// Bytes up to which the caller of submitSmall fills the slots itself, with the workers' help, since another thread
/// would start too late. The first is for machines with few cores, without helpers.
constexpr std::uint64_t smallBatchBytes = 256u << 10;
constexpr std::uint64_t helpedBatchBytes = 4096u << 10;

/// Numbers for a batch: from the options, or chosen from payload and cores.
struct Tuning {
  unsigned threads = 1;
  std::uint32_t slots = 1;
  std::uint64_t slotBytes = 0;
  std::uint64_t chunkBytes = 0;
  std::uint64_t unitBytes = 0;
  /// Fills slots, or D2H targets, bypassing the caches.
  bool streamingSlots = false;
  bool streamingTargets = false;
};
Tuning chooseTuning(const CopyOptions& options, std::uint64_t payload, unsigned cores);
/// Returns true if the targets of a D2H batch are filled bypassing the caches.
bool streamsTargets(const CopyOptions& options, std::uint64_t payload);
/// Returns the maximum number of threads for a batch by default, including the caller.
unsigned threadsAtMost(unsigned cores);

/// Returns the host address of tensor number `transfer` of a batch. The submitting thread calls it for one after
/// another, while others copy those found before.
using FindSource = std::function<std::byte*(std::size_t transfer)>;

class CopyEngine {
 public:
  /// `pinnedBudget`: limit of page-locked memory in bytes; 0 for a quarter of the memory available now. If the device's
  /// memory is ordinary memory, it only limits unused memory.
  explicit CopyEngine(std::unique_ptr<CopyDevice> device, std::uint64_t pinnedBudget = 0,
                      Budget budgetFor = Budget::held);
  ~CopyEngine();
  CopyEngine(const CopyEngine&) = delete;
  CopyEngine& operator=(const CopyEngine&) = delete;

  CopyDevice& device() { return *device_; }
  MemoryPool& pinnedMemory() { return *pinned_; }
  MemoryPool& deviceMemory() { return *memory_; }
  StreamRef defaultStream() const { return stream_.get(); }

  /// Returns when all data has arrived. Throws Failure (`copy.cancelled` if `cancelled` became true); then nothing uses
  /// the batch's memory any more, and its targets hold a part of the data. `observer` receives the host's own copies.
  void run(const Batch& batch, const CopyOptions& options, StreamRef stream,
           const std::atomic<bool>* cancelled = nullptr, CopyObserver* observer = nullptr);

  /// Returns true if a batch fits submitSmall().
  bool isSmall(const Batch& batch, const CopyOptions& options) const;
  /// Packs a small H2D batch for the pipelined strategy and submits it, without waiting for its arrival. Returns null
  /// if the batch doesn't fit, or the engine is busy. The event is one of mark(). With `find` the batch need not
  /// contain the tensors' host addresses, and none of them is page-locked.
  OwnedCopyEvent submitSmall(const Batch& batch, const CopyOptions& options, StreamRef stream,
                             const FindSource& find = nullptr);
  /// Returns an event recorded in the stream, which may be returned with putBack().
  OwnedCopyEvent mark(StreamRef stream);
  void putBack(OwnedCopyEvent event);
  /// Starts waking workers for a batch of about this size that comes in a moment.
  void rouse(std::uint64_t payload);

  EngineCounts counts();
  /// Returns true if page-locked memory of this engine is in use outside its ring, so that a search for it may succeed.
  bool holdsPinnedResults() const { return pinned_->counts().usedBytes > ringReserve_.load(); }
  /// Returns unused memory to the system, including the ring's.
  void trim();

 private:
  struct Job;

  void runLocked(Job& job);
  void loop(Job& job, bool waitEach);
  void pinned(Job& job, bool waitEach);
  void threadedPinning(Job& job);
  void packed(Job& job);
  void pipelined(Job& job);
  /// Puts everything into the stream; in D2H, also copies it out of the slots.
  void passThroughRing(Job& job, const std::vector<Transfer>& transfers);
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
  /// Bytes of the ring from the pinned pool.
  std::atomic<std::uint64_t> ringReserve_{0};
  std::unique_ptr<WorkerPool> workers_;
  TransferPlan plan_;
  std::vector<Transfer> staged_;
  std::vector<Transfer> direct_;
  std::vector<Transfer> directRuns_;
  /// Per chunk: number of unfinished units, and whether it has been submitted.
  std::vector<std::atomic<std::uint32_t>> remaining_;
  std::vector<std::atomic<bool>> submitted_;
  /// Number of segments with known host addresses.
  std::atomic<std::uint32_t> found_{0};
};

}  // namespace copyscope::copy
