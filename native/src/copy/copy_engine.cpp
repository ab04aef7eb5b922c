#include "copy/copy_engine.h"

#include <algorithm>
#include <thread>

#include "copy/copy_job.h"
#include "copy/processor_share.h"
#include "executor/host_memory.h"

namespace copyscope::copy {
namespace {

/// Time that a worker spins for its next task.
constexpr std::int64_t spinNs = 200000;
constexpr std::uint64_t leastPinnedBudget = 256u << 20;

std::uint64_t budgetOf(std::uint64_t asked) {
  return asked > 0 ? asked : std::max(leastPinnedBudget, availableHostMemory() / 4);
}

}  // namespace

CopyEngine::CopyEngine(std::unique_ptr<CopyDevice> device, std::uint64_t pinnedBudget, Budget budgetFor)
    : cores_(std::max(1u, std::thread::hardware_concurrency())) {
  // The pools own the device, since results may outlive the engine.
  const std::shared_ptr<CopyDevice> shared(std::move(device));
  device_ = shared;
  pinned_ = std::make_shared<MemoryPool>([shared](std::size_t bytes) { return shared->allocatePinned(bytes); },
                                         [shared](void* memory) { shared->freePinned(memory); },
                                         budgetOf(pinnedBudget), budgetFor);
  memory_ = std::make_shared<MemoryPool>([shared](std::size_t bytes) { return shared->allocateDevice(bytes); },
                                         [shared](void* memory) { shared->freeDevice(memory); }, 0);
  device_->attach();
  stream_ = device_->createStream();
  done_ = device_->createEvent();
  ring_ = std::make_unique<SlotRing>(*device_, *pinned_);
  const bool spins = cores_ >= coresToSpin;
  const auto prepare = [shared, threads = threadsAtMost(cores_)](unsigned number) {
    keepToProcessorShare(number, threads);
    try {
      shared->attach();
    } catch (const Failure&) {
      // The device is lost, as the thread's first copy will report.
    }
  };
  workers_ = std::make_unique<WorkerPool>(prepare, spins ? spinNs : 0);
}

CopyEngine::~CopyEngine() {
  workers_.reset();
  try {
    device_->attach();
    device_->synchronize(stream_.get());
    ring_->waitForAll();
  } catch (const Failure&) {
    // The device is lost, and its memory with it.
  }
  ring_.reset();
}

void CopyEngine::run(const Batch& batch, const CopyOptions& options, StreamRef stream,
                     const std::atomic<bool>* cancelled, CopyObserver* observer) {
  const std::lock_guard<std::mutex> lock(mutex_);
  device_->attach();
  Job job{batch, options, stream, cancelled, chooseTuning(options, batch.bytes(), cores_), observer, {}, {}};
  try {
    job.refuseCancelled();
    runLocked(job);
    job.refuseCancelled();
  } catch (...) {
    // Nothing may use the batch's memory any more.
    endQuietly(stream);
    throw;
  }
}

void CopyEngine::endQuietly(StreamRef stream) noexcept {
  try {
    device_->synchronize(stream);
    ring_->releaseEnded();
  } catch (...) {
    // The device is lost: nothing runs on it.
  }
}

void CopyEngine::runLocked(Job& job) {
  if (job.batch.direction == Direction::h2h) return hostToHost(job);
  if (job.batch.direction == Direction::d2d) return deviceToDevice(job);
  switch (job.options.strategy) {
    case Strategy::blockingLoop:
      return loop(job, true);
    case Strategy::nonBlockingLoop:
      return loop(job, false);
    case Strategy::pinThenCopy:
      return pinned(job, true);
    case Strategy::pinThenCopyNonBlocking:
      return pinned(job, false);
    case Strategy::threadedPinning:
      return threadedPinning(job);
    case Strategy::packed:
      return packed(job);
    default:
      return pipelined(job);
  }
}

void CopyEngine::copyOne(Job& job, const Transfer& transfer) {
  if (transfer.bytes == 0) return;
  const auto bytes = static_cast<std::size_t>(transfer.bytes);
  if (job.batch.direction == Direction::d2d && job.batch.sourceDevice >= 0) {
    device_->copyPeer(job.target(transfer), job.source(transfer), job.batch.sourceDevice, bytes, job.stream);
  } else {
    device_->copy(job.target(transfer), job.source(transfer), bytes, job.batch.direction, job.stream);
  }
}

void CopyEngine::finish(Job& job) {
  device_->record(done_.get(), job.stream);
  device_->wait(done_.get());
}

OwnedCopyEvent CopyEngine::mark(StreamRef stream) {
  OwnedCopyEvent event;
  {
    const std::lock_guard<std::mutex> lock(eventMutex_);
    if (spareEvents_.empty()) {
      spareEvents_.push_back(device_->createEvent());
      ++eventsMade_;
    }
    event = std::move(spareEvents_.back());
    spareEvents_.pop_back();
  }
  device_->record(event.get(), stream);
  return event;
}

void CopyEngine::putBack(OwnedCopyEvent event) {
  const std::lock_guard<std::mutex> lock(eventMutex_);
  spareEvents_.push_back(std::move(event));
}

void CopyEngine::rouse(std::uint64_t payload) { workers_->rouse(chooseTuning({}, payload, cores_).threads - 1); }

BlockRef CopyEngine::staging(std::uint64_t bytes) {
  BlockRef block = pinned_->take(bytes);
  if (block != nullptr) return block;
  throw Failure("copy.out-of-pinned-memory",
                "There is no page-locked memory for a staging buffer of " + std::to_string(bytes) + " bytes.",
                "Use the pipelined strategy, whose staging memory doesn't grow with the payload.", "strategy");
}

EngineCounts CopyEngine::counts() {
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::lock_guard<std::mutex> eventLock(eventMutex_);
  return {pinned_->counts(), memory_->counts(), ring_->eventsMade() + eventsMade_, workers_->threads(),
          ring_->size() * ring_->slotBytes()};
}

void CopyEngine::trim() {
  const std::lock_guard<std::mutex> lock(mutex_);
  device_->attach();
  ring_->waitForAll();
  ring_ = std::make_unique<SlotRing>(*device_, *pinned_);
  ringReserve_.store(0);
  pinned_->trim();
  memory_->trim();
}

}  // namespace copyscope::copy
