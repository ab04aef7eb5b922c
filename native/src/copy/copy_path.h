// A way between page-locked host memory and a device: the device's own link, or the link of a relay device and the peer
// link from there.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "copy_device.h"
#include "memory_pool.h"
#include "transfer_plan.h"

namespace copyscope::copy {

/// What goes over a path at once.
struct PathLoad {
  /// Number of the chunk, for whoever is told of its arrival.
  std::size_t chunk = 0;
  /// Where the first run lies in page-locked memory, and the bytes from there to the end of the last one.
  std::byte* host = nullptr;
  std::uint64_t bytes = 0;
  const LinkRun* runs = nullptr;
  std::size_t runCount = 0;
};

/// Loads under way on one path at most: enough for the link to be busy while the next one is put behind them.
constexpr std::uint32_t mostPathLoads = 4;

/// Loads arrive in the order in which they were submitted. One thread at a time.
class CopyPath {
 public:
  CopyPath() = default;
  virtual ~CopyPath() = default;
  CopyPath(const CopyPath&) = delete;
  CopyPath& operator=(const CopyPath&) = delete;

  bool hasRoom() const { return loads_ < loadLimit_; }
  std::uint32_t loads() const { return loads_; }
  /// Loads that this path has taken, ever.
  std::uint64_t taken() const { return taken_; }
  /// Puts a load behind those before it. Throws Failure. Only where there is room.
  void submit(const PathLoad& load, Direction direction);
  /// Calls `arrived(chunk)` for each load whose page-locked memory the path has let go of since the last call.
  template <typename Arrived>
  void poll(const Arrived& arrived) {
    for (; loads_ > 0 && isOver(first_); --loads_) {
      arrived(chunks_[first_]);
      first_ = (first_ + 1) % loadLimit_;
    }
  }
  /// With nothing under way any more.
  void forget() { loads_ = 0; }

 protected:
  /// Puts the copies of a load into the path's streams, as number `place` of those that may be under way.
  virtual void put(std::size_t place, const PathLoad& load, Direction direction) = 0;
  virtual bool isOver(std::size_t place) = 0;
  /// With nothing under way.
  void limitLoads(std::uint32_t most) {
    loadLimit_ = most;
    first_ = 0;
  }

 private:
  std::uint32_t loadLimit_ = mostPathLoads;
  std::uint32_t loads_ = 0;
  std::uint64_t taken_ = 0;
  std::size_t first_ = 0;
  std::size_t chunks_[mostPathLoads] = {};
};

/// The device's own link, in the stream of the batch.
class DirectPath final : public CopyPath {
 public:
  explicit DirectPath(CopyDevice& device);
  void begin(StreamRef stream) { stream_ = stream; }
  static constexpr std::uint64_t eventsMade = mostPathLoads;

 private:
  void put(std::size_t place, const PathLoad& load, Direction direction) override;
  bool isOver(std::size_t place) override { return device_.isDone(crossed_[place].get()); }

  CopyDevice& device_;
  StreamRef stream_ = nullptr;
  OwnedCopyEvent crossed_[mostPathLoads];
};

/// What the engine needs of a device whose link it may use.
struct RelayDevice {
  std::shared_ptr<CopyDevice> device;
  /// Its memory, in which the slots lie.
  std::shared_ptr<MemoryPool> memory;
  /// Streams of it for what crosses its link and for what passes between the two devices; null for streams of its own.
  StreamRef link = nullptr;
  StreamRef peer = nullptr;
};

/// Over the link of another device into slots there, and over the peer link; or the other way.
class RelayPath final : public CopyPath {
 public:
  /// Throws Failure `copy.no-peer-access` where the two devices can't reach each other's memory.
  RelayPath(CopyDevice& target, const RelayDevice& relay);
  /// Nothing may be under way.
  ~RelayPath() override;

  /// Before a batch: sees to peer access and to `count` slots (1 to mostPathLoads) of `bytes` each, and orders the path
  /// behind `before`, an event of the target. Throws Failure `run.out-of-memory`.
  void begin(std::uint32_t count, std::uint64_t bytes, EventRef before);
  /// `stream` of the target goes on once all loads are where they belong.
  void join(StreamRef stream);
  /// Returns when nothing is under way, whatever has failed.
  void quiesce() noexcept;
  /// Gives the slots back, and takes the peer access back that it gave.
  void close() noexcept;

  int index() const { return relay_.device->index(); }
  std::uint64_t slotBytes() const;
  MemoryPool& memory() { return *relay_.memory; }
  static constexpr std::uint64_t eventsMade = 2 * mostPathLoads;

 private:
  struct Place {
    BlockRef slot;
    /// Behind the copy over the link, and behind those over the peer link.
    OwnedCopyEvent crossed;
    OwnedCopyEvent moved;
  };

  void put(std::size_t place, const PathLoad& load, Direction direction) override;
  bool isOver(std::size_t place) override { return relay_.device->isDone(places_[place].crossed.get()); }
  void putUp(Place& place, const PathLoad& load);
  void putDown(Place& place, const PathLoad& load);
  void openAccess();
  void closeAccess() noexcept;

  CopyDevice& target_;
  const RelayDevice relay_;
  /// Where the relay names no streams.
  OwnedCopyStream ownLink_;
  OwnedCopyStream ownPeer_;
  StreamRef link_ = nullptr;
  StreamRef peer_ = nullptr;
  Place places_[mostPathLoads];
  /// Behind all loads of the batch.
  EventRef last_ = nullptr;
  /// Access that this path has given: the target's to the relay's memory, and the other way.
  bool openedThere_ = false;
  bool openedBack_ = false;
};

}  // namespace copyscope::copy
