// The paths of a copy engine that lead over other devices, and the chunks that go over all paths at once.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "copy_job.h"
#include "copy_path.h"
#include "relay_tuning.h"
#include "shared_work.h"

namespace copyscope::copy {

/// Chunks are shared as the paths get on: each takes the next one once it has room. Keeps slots, streams and events from
/// one batch to the next.
class CopyEngine::Relays {
 public:
  explicit Relays(CopyEngine& engine) : engine_(engine) {}
  Relays(const Relays&) = delete;
  Relays& operator=(const Relays&) = delete;

  /// A device that batches may name from here on; may come while a batch is under way. Throws Failure
  /// `copy.no-peer-access`.
  void add(const RelayDevice& device);
  /// Copies what is worth it over all links, and returns the transfers that are not. What is still on its way arrives
  /// before anything that is put into the job's stream later.
  std::vector<Transfer> run(Job& job);
  /// Gives slots and peer access back. No batch may be under way.
  void trim();
  std::uint64_t eventsMade();
  std::uint64_t ringBytes() const { return slots_.size() * slotBytes_; }
  /// On the relay devices.
  std::uint64_t slotBytes();

 private:
  static constexpr std::size_t noChunk = ~std::size_t{0};

  void begin(Job& job, const RelayTuning& chosen);
  void prepareSlots(const Tuning& tuning, std::uint64_t needed);
  void copyPinned(Job& job);
  void copyStaged(Job& job);
  template <typename Step, typename CopyUnit>
  void stage(Job& job, const Step& step, const CopyUnit& copyUnit);
  void fillSome();
  void emptySome();
  void quiesce(Job& job) noexcept;

  template <typename Arrived>
  void poll(const Arrived& arrived);
  /// The path with the fewest loads under way; null where none has room.
  CopyPath* freePath();
  void submit(CopyPath& path, std::size_t chunk, Direction direction);
  /// Calls `each(chunk)` for those whose units all are copied, until it gives false, and takes them off the list.
  template <typename Each>
  void closeChunks(const Each& each);

  CopyEngine& engine_;
  std::mutex knownMutex_;
  std::map<int, std::unique_ptr<RelayPath>> known_;
  std::unique_ptr<DirectPath> direct_;
  OwnedCopyEvent before_;

  // Of the batch under way. The thread that runs it alone looks after paths and slots and makes all calls to the devices:
  // threads that ask the driver at the same time hold each other up. The others copy between slots and tensors.

  std::vector<Transfer> staged_;
  std::vector<Transfer> pinned_;
  std::vector<RelayPath*> relays_;
  std::vector<CopyPath*> paths_;
  std::vector<BlockRef> slots_;
  std::uint64_t slotBytes_ = 0;
  std::vector<std::uint32_t> free_;
  /// Chunks that threads copy now.
  std::vector<std::size_t> open_;
  /// The first chunk that has no slot yet, and those that have gone their way over a link.
  std::size_t next_ = 0;
  std::size_t crossed_ = 0;
  /// By chunk: its slot, and whether threads may copy it.
  std::vector<std::uint32_t> slotOf_;
  std::vector<std::atomic<bool>> ready_;
};

}  // namespace copyscope::copy
