// Moves batches of tensors between host and device by a strategy of choice. One batch at a time; thread-safe.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "copy_device.h"
#include "memory_pool.h"
#include "slot_ring.h"
#include "transfer_plan.h"
#include "worker_pool.h"

namespace copyscope::copy {

struct EngineCounts {
  PoolCounts pinned;
  PoolCounts device;
  std::uint64_t eventsMade = 0;
  std::uint64_t threadsStarted = 0;
  std::uint64_t ringBytes = 0;
};

/// Bytes up to which a batch is packed by the caller itself: waking another thread would take longer.
constexpr std::uint64_t smallBatchBytes = 256u << 10;

/// Numbers that a batch is run with: those asked for, or those chosen from payload and cores.
struct Tuning {
  unsigned threads = 1;
  std::uint32_t slots = 1;
  std::uint64_t slotBytes = 0;
  std::uint64_t chunkBytes = 0;
  std::uint64_t unitBytes = 0;
};
Tuning chooseTuning(const CopyOptions& options, std::uint64_t payload, unsigned cores);

class CopyEngine {
 public:
  /// `pinnedBudget`: bytes of page-locked memory it may hold; 0 for a quarter of the machine's memory.
  explicit CopyEngine(std::unique_ptr<CopyDevice> device, std::uint64_t pinnedBudget = 0);
  ~CopyEngine();
  CopyEngine(const CopyEngine&) = delete;
  CopyEngine& operator=(const CopyEngine&) = delete;

  CopyDevice& device() { return *device_; }
  MemoryPool& pinnedMemory() { return *pinned_; }
  MemoryPool& deviceMemory() { return *memory_; }
  StreamRef defaultStream() const { return stream_; }

  /// Returns when all data is where it belongs. Throws Failure (`copy.cancelled` where `cancelled` became true); then
  /// nothing uses the batch's memory any more, and its targets hold some of the data.
  void run(const Batch& batch, const CopyOptions& options, StreamRef stream, const std::atomic<bool>* cancelled = nullptr);

  /// Packs a small H2D batch on this thread and submits it, without waiting; null where the batch is too large for
  /// that or the engine is busy. The event belongs to the engine: it is done once this batch is, or a later one.
  EventRef submitSmall(const Batch& batch, const CopyOptions& options, StreamRef stream);

  EngineCounts counts();
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
  void hostToHost(Job& job);
  void deviceToDevice(Job& job);
  void copyPinned(Job& job, const std::vector<Transfer>& transfers);
  void plan(Job& job, const std::vector<Transfer>& transfers);
  void submitChunk(Job& job, std::size_t chunk);
  void fillUnit(const Unit& unit, std::byte* slot);
  void fillSlots(Job& job);
  void emptySlots(Job& job);
  void copyOne(Job& job, const Transfer& transfer);
  void finish(Job& job);
  void synchronizeQuietly(StreamRef stream) noexcept;
  BlockRef staging(std::uint64_t bytes);

  std::shared_ptr<CopyDevice> device_;
  std::shared_ptr<MemoryPool> pinned_;
  std::shared_ptr<MemoryPool> memory_;
  StreamRef stream_ = nullptr;
  EventRef done_ = nullptr;
  std::mutex mutex_;
  std::unique_ptr<SlotRing> ring_;
  std::unique_ptr<WorkerPool> workers_;
  TransferPlan plan_;
  std::vector<Transfer> staged_;
  std::vector<Transfer> direct_;
  /// Per chunk: units that are not done, and whether it has been submitted.
  std::vector<std::atomic<std::uint32_t>> remaining_;
  std::vector<std::atomic<bool>> submitted_;
};

}  // namespace copyscope::copy
