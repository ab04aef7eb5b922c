// Pageable memory at the speed of pinned memory: threads copy between tensors and pinned slots while other slots are on
// the wire.
#include <algorithm>
#include <cstring>

#include "copy/copy_job.h"
#include "copy/shared_work.h"
#include "copy/streaming_copy.h"

namespace copyscope::copy {
namespace {

bool shareAllocations(const Transfer& one, const Transfer& other) {
  return one.storage != noStorage && one.storage == other.storage && one.hostStorage != noStorage &&
         one.hostStorage == other.hostStorage;
}

/// Returns the bytes that a unit copies, if there is an observer.
std::uint64_t bytesOf(const TransferPlan& plan, const Unit& unit, const CopyObserver* observer) {
  std::uint64_t sum = 0;
  if (observer == nullptr) return sum;
  for (std::uint32_t number = unit.firstSegment; number < unit.endSegment; ++number) sum += plan.segments[number].bytes;
  return sum;
}

void put(std::byte* target, const std::byte* source, std::size_t bytes, bool pastCaches) {
  if (pastCaches) {
    copyStreaming(target, source, bytes);
  } else {
    std::memcpy(target, source, bytes);
  }
}

void dropGatherings(TransferPlan& plan) {
  for (Chunk& chunk : plan.chunks) chunk.firstGathering = chunk.endGathering = 0;
}

/// Returns the end of the runs from `first` on that are small and adjacent in one allocation on the host.
std::size_t endOfHostSpan(const std::vector<Transfer>& runs, std::size_t first) {
  std::size_t end = first + 1;
  const auto isSmall = [&](std::size_t run) { return runs[run].bytes <= mostGatheredBytes; };
  if (runs[first].hostStorage == noStorage || !isSmall(first)) return end;
  for (; end < runs.size() && isSmall(end) && runs[end].hostStorage == runs[first].hostStorage; ++end) {
    const std::ptrdiff_t gap = runs[end].host - (runs[end - 1].host + runs[end - 1].bytes);
    if (gap < 0 || gap > static_cast<std::ptrdiff_t>(mostPadding)) break;
  }
  return end;
}

/// Writes the pieces of `whole` from `next` on. Returns the place after them.
Piece* cut(const Piece& whole, Piece* next) {
  for (std::uint64_t done = 0; done < whole.bytes; done += pieceBytes) {
    *next++ = {whole.source + done, whole.target + done, std::min(pieceBytes, whole.bytes - done)};
  }
  return next;
}

}  // namespace

/// Puts the runs of one chunk into the stream, and then the event of its slot.
void CopyEngine::submitChunk(Job& job, std::size_t index) {
  Slot& slot = ring_->slotOf(index);
  const Chunk& chunk = plan_.chunks[index];
  std::uint32_t run = chunk.firstRun;
  for (std::uint32_t number = chunk.firstGathering; number < chunk.endGathering; ++number) {
    const Gathering& gathering = plan_.gatherings[number];
    for (; run < gathering.firstRun; ++run) submitRun(job, slot, plan_.runs[run]);
    submitGathering(job, slot, gathering);
    run = gathering.endRun;
  }
  for (; run < chunk.endRun; ++run) submitRun(job, slot, plan_.runs[run]);
  ring_->occupy(slot, job.stream);
  submitted_[index].store(true, std::memory_order_release);
}

void CopyEngine::submitRun(Job& job, const Slot& slot, const LinkRun& run) {
  const bool up = job.batch.direction == Direction::h2d;
  std::byte* const staged = slot.block->memory + run.slotOffset;
  device_->copy(up ? run.device : staged, up ? staged : run.device, static_cast<std::size_t>(run.bytes),
                job.batch.direction, job.stream);
}

/// Uses one kernel and one copy instead of a copy for each run.
void CopyEngine::submitGathering(Job& job, const Slot& slot, const Gathering& gathering) {
  auto* const first = reinterpret_cast<Piece*>(slot.pieces->memory) + gathering.firstPiece;
  Piece* next = first;
  for (std::uint32_t number = gathering.firstRun; number < gathering.endRun; ++number) {
    const LinkRun& run = plan_.runs[number];
    next = cut({run.device, slot.gathered->memory + run.slotOffset, run.bytes}, next);
  }
  device_->copyPieces(first, static_cast<std::size_t>(next - first), job.stream, 1);
  device_->copy(slot.block->memory + gathering.slotOffset, slot.gathered->memory + gathering.slotOffset,
                static_cast<std::size_t>(gathering.bytes), job.batch.direction, job.stream);
}

void CopyEngine::plan(Job& job, const std::vector<Transfer>& transfers) {
  planTransfers(transfers, job.tuning.chunkBytes, job.tuning.unitBytes, plan_);
  const std::size_t chunks = plan_.chunks.size();
  if (remaining_.size() < chunks) {
    remaining_ = std::vector<std::atomic<std::uint32_t>>(chunks);
    submitted_ = std::vector<std::atomic<bool>>(chunks);
  }
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    remaining_[chunk].store(plan_.chunks[chunk].units, std::memory_order_relaxed);
    submitted_[chunk].store(false, std::memory_order_relaxed);
  }
  ring_->prepare(job.tuning.slots, job.tuning.slotBytes, chunks);
  if (job.batch.direction == Direction::d2h) {
    const std::uint32_t pieces = planGatherings(plan_);
    // Without memory for it the runs are copied one by one.
    if (pieces > 0 && !ring_->prepareGathering(*memory_, pieces * sizeof(Piece), chunks)) dropGatherings(plan_);
  }
  ringReserve_.store(ring_->reservedBytes());
}

void CopyEngine::pipelined(Job& job) {
  workers_->rouse(job.helpers());
  passThroughRing(job, job.batch.transfers);
  finish(job);
  ring_->release(plan_.chunks.size());
}

void CopyEngine::passThroughRing(Job& job, const std::vector<Transfer>& transfers) {
  const bool anyPinned = std::any_of(transfers.begin(), transfers.end(), [](const Transfer& one) { return one.pinned; });
  if (anyPinned) {
    staged_.clear();
    direct_.clear();
    for (const Transfer& transfer : transfers) (transfer.pinned ? direct_ : staged_).push_back(transfer);
    copyDirect(job);
  }
  plan(job, anyPinned ? staged_ : transfers);
  if (job.batch.direction == Direction::h2d) {
    fillSlots(job);
  } else {
    emptySlots(job);
  }
}

/// Joins transfers of one allocation on both sides into one copy if there is no padding, or for D2H equal padding.
template <typename Put>
void CopyEngine::forEachRun(Job& job, const std::vector<Transfer>& transfers, const Put& put) {
  Transfer run;
  for (const Transfer& transfer : transfers) {
    if (transfer.bytes == 0) continue;
    const std::ptrdiff_t gap = transfer.device - (run.device + run.bytes);
    const bool sameGap = run.bytes > 0 && transfer.host - (run.host + run.bytes) == gap;
    const std::uint64_t most = job.batch.direction == Direction::d2h ? mostPadding : 0;
    const bool padded = gap >= 0 && gap <= static_cast<std::ptrdiff_t>(most);
    if (sameGap && padded && shareAllocations(run, transfer)) {
      run.bytes += static_cast<std::uint64_t>(gap) + transfer.bytes;
      continue;
    }
    put(run);
    job.refuseCancelled();
    run = transfer;
  }
  put(run);
}

/// Copies page-locked memory without a slot. Small adjacent tensors are gathered on the device in the host's layout.
void CopyEngine::copyDirect(Job& job) {
  if (job.batch.direction != Direction::d2h) {
    return forEachRun(job, direct_, [&](const Transfer& run) { copyOne(job, run); });
  }
  directRuns_.clear();
  forEachRun(job, direct_, [&](const Transfer& run) {
    if (run.bytes > 0) directRuns_.push_back(run);
  });
  for (std::size_t run = 0; run < directRuns_.size();) {
    const std::size_t end = endOfHostSpan(directRuns_, run);
    if (end - run < leastGatheredRuns || !gatherDirect(job, run, end)) {
      for (std::size_t one = run; one < end; ++one) copyOne(job, directRuns_[one]);
    }
    job.refuseCancelled();
    run = end;
  }
}

/// Returns false if there is no memory for it.
bool CopyEngine::gatherDirect(Job& job, std::size_t first, std::size_t end) {
  std::byte* const host = directRuns_[first].host;
  const auto span = static_cast<std::uint64_t>(directRuns_[end - 1].host + directRuns_[end - 1].bytes - host);
  std::uint64_t count = 0;
  for (std::size_t run = first; run < end; ++run) count += piecesOf(directRuns_[run].bytes);
  BlockRef gathered = memory_->take(span);
  BlockRef list = gathered == nullptr ? nullptr : pinned_->take(count * sizeof(Piece));
  if (list == nullptr) return false;
  auto* const pieces = reinterpret_cast<Piece*>(list->memory);
  Piece* next = pieces;
  for (std::size_t run = first; run < end; ++run) {
    const Transfer& one = directRuns_[run];
    next = cut({one.device, gathered->memory + (one.host - host), one.bytes}, next);
  }
  device_->copyPieces(pieces, static_cast<std::size_t>(next - pieces), job.stream, 1);
  device_->copy(host, gathered->memory, static_cast<std::size_t>(span), job.batch.direction, job.stream);
  job.hold(std::move(gathered));
  job.hold(std::move(list));
  return true;
}

/// Within one device a kernel copies all small tensors at once; between devices each has its own copy.
void CopyEngine::copyWithinDevice(Job& job) {
  const bool gathers = job.batch.sourceDevice < 0;
  staged_.clear();
  std::uint64_t pieces = 0;
  forEachRun(job, job.batch.transfers, [&](const Transfer& run) {
    if (!gathers || run.bytes == 0 || run.bytes > mostGatheredBytes) return copyOne(job, run);
    staged_.push_back(run);
    pieces += piecesOf(run.bytes);
  });
  BlockRef list = staged_.size() < leastGatheredRuns ? nullptr : pinned_->take(pieces * sizeof(Piece));
  if (list == nullptr) {
    for (const Transfer& run : staged_) copyOne(job, run);
    return;
  }
  auto* const first = reinterpret_cast<Piece*>(list->memory);
  Piece* next = first;
  for (const Transfer& run : staged_) next = cut({run.host, run.device, run.bytes}, next);
  job.hold(std::move(list));
  device_->copyPieces(first, static_cast<std::size_t>(next - first), job.stream, 1);
}

void CopyEngine::fillUnit(Job& job, const Unit& unit, std::byte* slot) {
  const ObservedCopy observed(job.observer, bytesOf(plan_, unit, job.observer));
  for (std::uint32_t number = unit.firstSegment; number < unit.endSegment; ++number) {
    const Segment& segment = plan_.segments[number];
    const auto bytes = static_cast<std::size_t>(segment.bytes);
    put(slot + segment.slotOffset, segment.host, bytes, job.tuning.streamingSlots);
  }
  if (job.tuning.streamingSlots) finishStreaming();
}

void CopyEngine::emptyUnit(Job& job, const Unit& unit, const std::byte* slot) {
  const ObservedCopy observed(job.observer, bytesOf(plan_, unit, job.observer));
  for (std::uint32_t number = unit.firstSegment; number < unit.endSegment; ++number) {
    const Segment& segment = plan_.segments[number];
    put(segment.host, slot + segment.slotOffset, static_cast<std::size_t>(segment.bytes),
        job.tuning.streamingTargets);
  }
  if (job.tuning.streamingTargets) finishStreaming();
}

/// Finds the host addresses of the segments, tensor by tensor, and releases them to the threads unit by unit.
void CopyEngine::findSources(const Job& job) {
  std::uint32_t segment = 0;
  std::size_t unit = 0;
  for (std::size_t index = 0; index < job.batch.transfers.size(); ++index) {
    const std::uint64_t bytes = job.batch.transfers[index].bytes;
    if (bytes == 0) continue;
    std::byte* const source = (*job.find)(index);
    for (std::uint64_t done = 0; done < bytes; done += plan_.segments[segment++].bytes) {
      plan_.segments[segment].host = source + done;
    }
    if (plan_.units[unit].endSegment > segment) continue;
    found_.store(segment, std::memory_order_release);
    while (unit + 1 < plan_.units.size() && plan_.units[unit].endSegment <= segment) ++unit;
  }
}

void CopyEngine::fillSlots(Job& job) {
  const std::size_t slots = ring_->size();
  found_.store(job.find == nullptr ? static_cast<std::uint32_t>(plan_.segments.size()) : 0);
  const auto lead = [&] {
    if (job.find != nullptr) findSources(job);
  };
  SharedWork work(plan_.units.size());
  work.run(*workers_, job.helpers(), job.cancelled, lead, [&](std::size_t index, SharedWork& all) {
    const Unit& unit = plan_.units[index];
    const auto isFound = [&] { return found_.load(std::memory_order_acquire) >= unit.endSegment; };
    if (!await(isFound, all)) return;
    const std::size_t chunk = unit.chunk;
    // The slot is free when its previous chunk has been submitted and has arrived.
    if (chunk >= slots && !awaitFlag(submitted_[chunk - slots], all)) return;
    Slot& slot = ring_->slotOf(chunk);
    ring_->waitFor(slot);
    fillUnit(job, unit, slot.block->memory);
    if (remaining_[chunk].fetch_sub(1, std::memory_order_acq_rel) == 1) submitChunk(job, chunk);
  });
  work.rethrow();
}

void CopyEngine::emptySlots(Job& job) {
  const std::size_t slots = ring_->size();
  const std::size_t chunks = plan_.chunks.size();
  for (std::size_t chunk = 0; chunk < std::min(slots, chunks); ++chunk) {
    ring_->waitFor(ring_->slotOf(chunk));
    submitChunk(job, chunk);
  }
  SharedWork work(plan_.units.size());
  work.run(*workers_, job.helpers(), job.cancelled, [&](std::size_t index, SharedWork& all) {
    const Unit& unit = plan_.units[index];
    const std::size_t chunk = unit.chunk;
    if (!awaitFlag(submitted_[chunk], all)) return;
    Slot& slot = ring_->slotOf(chunk);
    ring_->waitFor(slot);
    emptyUnit(job, unit, slot.block->memory);
    const bool last = remaining_[chunk].fetch_sub(1, std::memory_order_acq_rel) == 1;
    if (last && chunk + slots < chunks) submitChunk(job, chunk + slots);
  });
  work.rethrow();
}

bool CopyEngine::isSmall(const Batch& batch, const CopyOptions& options) const {
  const std::uint64_t most = cores_ >= coresToSpin ? helpedBatchBytes : smallBatchBytes;
  return batch.direction == Direction::h2d && options.strategy == Strategy::pipelined && batch.bytes() <= most;
}

OwnedCopyEvent CopyEngine::submitSmall(const Batch& batch, const CopyOptions& options, StreamRef stream,
                                       const FindSource& find) {
  if (!isSmall(batch, options)) return nullptr;
  const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return nullptr;
  device_->attach();
  Job job{batch, options, stream, nullptr, chooseTuning(options, batch.bytes(), cores_), nullptr, {}, {}};
  if (find != nullptr) job.find = &find;
  OwnedCopyEvent event;
  try {
    passThroughRing(job, batch.transfers);
    event = mark(stream);
  } catch (...) {
    endQuietly(stream);
    throw;
  }
  ring_->advance(plan_.chunks.size());
  return event;
}

}  // namespace copyscope::copy
