#include "relays.h"

#include <algorithm>
#include <thread>

namespace copyscope::copy {
namespace {

/// Rounds of a busy wait between two looks at the paths, which ask the driver.
constexpr int roundsBetweenLooks = 8;

void pause() {
  for (int round = 0; round < roundsBetweenLooks; ++round) relax();
  std::this_thread::yield();
}

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
  const RelayTuning chosen =
      chooseRelayTuning(job.options, direction, payload, engine_.cores_, job.options.relays.size());
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
  device.record(before_.get(), job.stream);
  for (RelayPath* const relay : relays_) relay->begin(chosen.relaySlots, chosen.tuning.chunkBytes, before_.get());
}

void CopyEngine::Relays::quiesce(Job& job) noexcept {
  for (RelayPath* const relay : relays_) relay->quiesce();
  engine_.endQuietly(job.stream);
  for (CopyPath* const path : paths_) path->forget();
}

// Paths

template <typename Arrived>
void CopyEngine::Relays::poll(const Arrived& arrived) {
  for (CopyPath* const path : paths_) {
    path->poll([&](std::size_t chunk) {
      if (chunk != noChunk) arrived(chunk);
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

// Page-locked memory needs no slots of its own.

void CopyEngine::Relays::copyPinned(Job& job) {
  const Direction direction = job.batch.direction;
  for (const Transfer& transfer : pinned_) {
    for (std::uint64_t done = 0; done < transfer.bytes; done += job.tuning.chunkBytes) {
      const LinkRun run{transfer.device + done, std::min(job.tuning.chunkBytes, transfer.bytes - done), 0};
      CopyPath* path = freePath();
      for (; path == nullptr; path = freePath()) {
        job.refuseCancelled();
        poll([](std::size_t) {});
        if (freePath() == nullptr) pause();
      }
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
  open_.clear();
  next_ = crossed_ = 0;
  if (job.batch.direction == Direction::h2d) {
    stage(job, [this] { fillSome(); }, [&](const Unit& unit, std::byte* slot) { engine_.fillUnit(job, unit, slot); });
  } else {
    stage(job, [this] { emptySome(); }, [&](const Unit& unit, std::byte* slot) { engine_.emptyUnit(job, unit, slot); });
  }
}

/// This thread calls `step()` until all chunks have gone their way; helpers, and this one after that, copy the units.
template <typename Step, typename CopyUnit>
void CopyEngine::Relays::stage(Job& job, const Step& step, const CopyUnit& copyUnit) {
  const TransferPlan& plan = engine_.plan_;
  SharedWork work(plan.units.size());
  const auto lead = [&] {
    for (step(); crossed_ < plan.chunks.size() && !work.failed(); step()) {
      job.refuseCancelled();
      pause();
    }
  };
  work.run(*engine_.workers_, job.helpers(), job.cancelled, lead, [&](std::size_t index, SharedWork& all) {
    const Unit& unit = plan.units[index];
    if (!awaitFlag(ready_[unit.chunk], all)) return;
    copyUnit(unit, slots_[slotOf_[unit.chunk]]->memory);
    engine_.remaining_[unit.chunk].fetch_sub(1, std::memory_order_acq_rel);
  });
  work.rethrow();
}

template <typename Each>
void CopyEngine::Relays::closeChunks(const Each& each) {
  std::size_t kept = 0;
  bool goesOn = true;
  for (const std::size_t chunk : open_) {
    const bool isCopied = engine_.remaining_[chunk].load(std::memory_order_acquire) == 0;
    if (goesOn && isCopied) goesOn = each(chunk);
    if (!goesOn || !isCopied) open_[kept++] = chunk;
  }
  open_.resize(kept);
}

/// H2D: slots that the links have let go of are filled with the next chunks, and full ones are put on their way.
void CopyEngine::Relays::fillSome() {
  poll([this](std::size_t chunk) { free_.push_back(slotOf_[chunk]); });
  for (; next_ < engine_.plan_.chunks.size() && !free_.empty(); ++next_) {
    slotOf_[next_] = free_.back();
    free_.pop_back();
    open_.push_back(next_);
    ready_[next_].store(true, std::memory_order_release);
  }
  closeChunks([this](std::size_t chunk) {
    CopyPath* const path = freePath();
    if (path == nullptr) return false;
    submit(*path, chunk, Direction::h2d);
    ++crossed_;
    return true;
  });
}

/// D2H: what has arrived in a slot is left to the threads, and emptied slots take the next chunks.
void CopyEngine::Relays::emptySome() {
  poll([this](std::size_t chunk) {
    open_.push_back(chunk);
    ready_[chunk].store(true, std::memory_order_release);
    ++crossed_;
  });
  closeChunks([this](std::size_t chunk) {
    free_.push_back(slotOf_[chunk]);
    return true;
  });
  for (; next_ < engine_.plan_.chunks.size() && !free_.empty(); ++next_) {
    CopyPath* const path = freePath();
    if (path == nullptr) return;
    slotOf_[next_] = free_.back();
    free_.pop_back();
    submit(*path, next_, Direction::d2h);
  }
}

}  // namespace copyscope::copy
