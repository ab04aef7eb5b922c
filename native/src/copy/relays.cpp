#include "relays.h"

#include <algorithm>
#include <thread>

namespace copyscope::copy {
namespace {

/// Rounds of a busy wait between two looks at the paths: they ask the driver, under a lock that others want.
constexpr int roundsBetweenLooks = 64;

std::uint64_t bytesOf(const std::vector<Transfer>& transfers) {
  std::uint64_t sum = 0;
  for (const Transfer& transfer : transfers) sum += transfer.bytes;
  return sum;
}

/// What a kernel gathers on the device, or puts in one copy there, is better off on the device's own link.
bool goesApart(const Transfer& transfer, Direction direction) {
  const bool isSmall = transfer.bytes <= mostGatheredBytes;
  return isSmall && (direction == Direction::d2h || transfer.pinned);
}

}  // namespace

CopyEngine::Relays::~Relays() {
  known_.clear();
  direct_.reset();
  if (before_ != nullptr) engine_.device_->destroyEvent(before_);
}

void CopyEngine::Relays::add(const RelayDevice& device) {
  const std::lock_guard<std::mutex> lock(knownMutex_);
  std::unique_ptr<RelayPath>& path = known_[device.device->index()];
  if (path != nullptr) return;
  try {
    path = std::make_unique<RelayPath>(*engine_.device_, device);
  } catch (...) {
    known_.erase(device.device->index());
    throw;
  }
}

std::uint64_t CopyEngine::Relays::eventsMade() {
  const std::lock_guard<std::mutex> lock(knownMutex_);
  return known_.size() * RelayPath::eventsMade + (direct_ == nullptr ? 0 : DirectPath::eventsMade + 1);
}

std::uint64_t CopyEngine::Relays::slotBytes() {
  const std::lock_guard<std::mutex> lock(knownMutex_);
  std::uint64_t sum = 0;
  for (const auto& [index, path] : known_) sum += path->slotBytes();
  return sum;
}

void CopyEngine::Relays::trim() {
  const std::lock_guard<std::mutex> lock(knownMutex_);
  slots_.clear();
  slotBytes_ = 0;
  for (const auto& [index, path] : known_) {
    path->close();
    path->memory().trim();
  }
}

std::vector<Transfer> CopyEngine::Relays::run(Job& job) {
  const Direction direction = job.batch.direction;
  std::vector<Transfer> rest;
  staged_.clear();
  pinned_.clear();
  for (const Transfer& transfer : job.batch.transfers) {
    if (transfer.bytes == 0) continue;
    (goesApart(transfer, direction) ? rest : transfer.pinned ? pinned_ : staged_).push_back(transfer);
  }
  const std::uint64_t payload = bytesOf(staged_) + bytesOf(pinned_);
  const RelayTuning chosen = chooseRelayTuning(job.options, payload, engine_.cores_, job.options.relays.size());
  if (payload < leastRelayChunks * chosen.tuning.chunkBytes) return job.batch.transfers;
  const Tuning usual = job.tuning;
  job.tuning = chosen.tuning;
  try {
    begin(job, chosen);
    copyPinned(job);
    copyStaged(job);
    for (RelayPath* const relay : relays_) relay->join(job.stream);
  } catch (...) {
    quiesce(job);
    throw;
  }
  job.tuning = usual;
  return rest;
}

void CopyEngine::Relays::begin(Job& job, const RelayTuning& chosen) {
  CopyDevice& device = *engine_.device_;
  if (direct_ == nullptr) direct_ = std::make_unique<DirectPath>(device);
  if (before_ == nullptr) before_ = device.createEvent();
  direct_->begin(job.stream);
  relays_.clear();
  paths_ = {direct_.get()};
  {
    const std::lock_guard<std::mutex> lock(knownMutex_);
    for (const int index : job.options.relays) {
      const auto found = known_.find(index);
      if (found == known_.end()) throw Failure("engine.internal", "A relay device was not made known to the engine.");
      relays_.push_back(found->second.get());
      paths_.push_back(found->second.get());
    }
  }
  // What the last batch left under way it has waited for.
  for (CopyPath* const path : paths_) path->forget();
  device.record(before_, job.stream);
  for (RelayPath* const relay : relays_) relay->begin(chosen.relaySlots, chosen.tuning.chunkBytes, before_);
}

void CopyEngine::Relays::quiesce(Job& job) noexcept {
  for (RelayPath* const relay : relays_) relay->quiesce();
  engine_.endQuietly(job.stream);
  for (CopyPath* const path : paths_) path->forget();
}

// Paths

template <typename Ready>
bool CopyEngine::Relays::await(const Job& job, const SharedWork* work, const Ready& ready) {
  for (;;) {
    {
      const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
      if (lock.owns_lock() && ready()) return true;
    }
    if (work != nullptr && work->failed()) return false;
    job.refuseCancelled();
    for (int round = 0; round < roundsBetweenLooks; ++round) relax();
    std::this_thread::yield();
  }
}

void CopyEngine::Relays::poll(Direction direction) {
  for (CopyPath* const path : paths_) {
    path->poll([&](std::size_t chunk) {
      if (chunk == noChunk) return;
      if (direction == Direction::h2d) {
        free_.push_back(slotOf_[chunk]);
      } else {
        ready_[chunk].store(true, std::memory_order_release);
      }
    });
  }
}

CopyPath* CopyEngine::Relays::freePath() {
  CopyPath* found = nullptr;
  for (CopyPath* const path : paths_) {
    if (path->hasRoom() && (found == nullptr || path->loads() < found->loads())) found = path;
  }
  return found;
}

void CopyEngine::Relays::submit(CopyPath& path, std::size_t number, Direction direction) {
  const Chunk& chunk = engine_.plan_.chunks[number];
  const LinkRun* const runs = &engine_.plan_.runs[chunk.firstRun];
  const LinkRun& last = engine_.plan_.runs[chunk.endRun - 1];
  const std::uint64_t first = runs[0].slotOffset;
  path.submit({number, slots_[slotOf_[number]]->memory + first, last.slotOffset + last.bytes - first, runs,
               chunk.endRun - chunk.firstRun},
              direction);
}

void CopyEngine::Relays::pump() {
  poll(Direction::d2h);
  while (next_ < engine_.plan_.chunks.size() && !free_.empty()) {
    CopyPath* const path = freePath();
    if (path == nullptr) return;
    slotOf_[next_] = free_.back();
    submit(*path, next_, Direction::d2h);
    free_.pop_back();
    ++next_;
  }
}

// Page-locked memory needs no slots of its own.

void CopyEngine::Relays::copyPinned(Job& job) {
  const Direction direction = job.batch.direction;
  for (const Transfer& transfer : pinned_) {
    for (std::uint64_t done = 0; done < transfer.bytes; done += job.tuning.chunkBytes) {
      const LinkRun run{transfer.device + done, std::min(job.tuning.chunkBytes, transfer.bytes - done), 0};
      CopyPath* path = nullptr;
      await(job, nullptr, [&] {
        poll(direction);
        path = freePath();
        return path != nullptr;
      });
      path->submit({noChunk, transfer.host + done, run.bytes, &run, 1}, direction);
    }
  }
}

// Pageable memory goes through slots.

void CopyEngine::Relays::prepareSlots(const Tuning& tuning, std::uint64_t needed) {
  if (slotBytes_ != tuning.slotBytes || slots_.size() > tuning.slots) slots_.clear();
  slotBytes_ = tuning.slotBytes;
  const std::uint64_t count = std::min<std::uint64_t>(tuning.slots, needed);
  while (slots_.size() < count) {
    BlockRef block = engine_.pinned_->take(slotBytes_);
    // Fewer slots do too, as long as every path has one.
    if (block == nullptr && slots_.size() > paths_.size()) break;
    if (block == nullptr) {
      throw Failure("copy.out-of-pinned-memory",
                    "There is no page-locked memory for a staging slot of " + std::to_string(slotBytes_) + " bytes.",
                    "Let go of pinned results, or give the ring fewer or smaller slots.", "slots");
    }
    slots_.push_back(std::move(block));
  }
  free_.clear();
  for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) free_.push_back(slot);
}

void CopyEngine::Relays::copyStaged(Job& job) {
  if (staged_.empty()) return;
  engine_.workers_->rouse(job.helpers());
  engine_.divide(job, staged_);
  const std::size_t chunks = engine_.plan_.chunks.size();
  prepareSlots(job.tuning, chunks);
  if (ready_.size() < chunks) {
    ready_ = std::vector<std::atomic<bool>>(chunks);
    slotOf_.resize(chunks);
  }
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) ready_[chunk].store(false, std::memory_order_relaxed);
  job.batch.direction == Direction::h2d ? fill(job) : empty(job);
}

void CopyEngine::Relays::fill(Job& job) {
  const TransferPlan& plan = engine_.plan_;
  SharedWork work(plan.units.size());
  work.run(*engine_.workers_, job.helpers(), job.cancelled, [&](std::size_t index, SharedWork& all) {
    const Unit& unit = plan.units[index];
    const std::size_t chunk = unit.chunk;
    const bool isFirst = index == 0 || plan.units[index - 1].chunk != unit.chunk;
    if (isFirst) {
      const bool found = await(job, &all, [&] {
        poll(Direction::h2d);
        if (free_.empty()) return false;
        slotOf_[chunk] = free_.back();
        free_.pop_back();
        return true;
      });
      if (!found) return;
      ready_[chunk].store(true, std::memory_order_release);
    } else if (!awaitFlag(ready_[chunk], all)) {
      return;
    }
    engine_.fillUnit(job, unit, slots_[slotOf_[chunk]]->memory);
    if (engine_.remaining_[chunk].fetch_sub(1, std::memory_order_acq_rel) > 1) return;
    await(job, &all, [&] {
      poll(Direction::h2d);
      CopyPath* const path = freePath();
      if (path != nullptr) submit(*path, chunk, Direction::h2d);
      return path != nullptr;
    });
  });
  work.rethrow();
}

void CopyEngine::Relays::empty(Job& job) {
  const TransferPlan& plan = engine_.plan_;
  next_ = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    pump();
  }
  SharedWork work(plan.units.size());
  work.run(*engine_.workers_, job.helpers(), job.cancelled, [&](std::size_t index, SharedWork& all) {
    const Unit& unit = plan.units[index];
    const std::size_t chunk = unit.chunk;
    if (!ready_[chunk].load(std::memory_order_acquire)) {
      const bool arrived = await(job, &all, [&] {
        pump();
        return ready_[chunk].load(std::memory_order_relaxed);
      });
      if (!arrived) return;
    }
    engine_.emptyUnit(job, unit, slots_[slotOf_[chunk]]->memory);
    if (engine_.remaining_[chunk].fetch_sub(1, std::memory_order_acq_rel) > 1) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    free_.push_back(slotOf_[chunk]);
    pump();
  });
  work.rethrow();
}

}  // namespace copyscope::copy
