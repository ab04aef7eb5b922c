#include "copy/pending_copy.h"

#include <cstring>
#include <new>

namespace copyscope::copy {
namespace {

/// Copies one dimension after another; neighbouring elements of the last one together.
void gatherInto(std::byte*& target, const std::byte* source, const StridedSource& layout, std::size_t dimension) {
  const bool last = dimension + 1 == layout.shape.size();
  if (dimension == layout.shape.size() || (last && layout.strides[dimension] == 1)) {
    const std::uint64_t elements = last ? layout.shape[dimension] : 1;
    const auto bytes = static_cast<std::size_t>(elements * layout.elementBytes);
    std::memcpy(target, source, bytes);
    target += bytes;
    return;
  }
  const std::int64_t step = layout.strides[dimension] * static_cast<std::int64_t>(layout.elementBytes);
  for (std::uint64_t index = 0; index < layout.shape[dimension]; ++index) {
    gatherInto(target, source + static_cast<std::int64_t>(index) * step, layout, dimension + 1);
  }
}

Failure failureOf(std::exception_ptr thrown) {
  try {
    std::rethrow_exception(std::move(thrown));
  } catch (const Failure& failure) {
    return failure;
  } catch (const std::bad_alloc&) {
    return Failure("run.out-of-memory", "The copy ran out of host memory.", "Copy less at a time.");
  } catch (const std::exception& error) {
    return Failure("engine.internal", error.what());
  }
}

}  // namespace

PendingCopy::~PendingCopy() {
  // The link may still be writing into the results, which return to their pool now.
  if (isSubmitted_) wait();
}

/// Contiguous copies replace the strided sources.
void PendingCopy::gather() {
  gathered_.reserve(strided.size());
  for (const StridedSource& layout : strided) {
    Transfer& transfer = batch.transfers[layout.transfer];
    gathered_.emplace_back(static_cast<std::size_t>(transfer.bytes));
    std::byte* target = gathered_.back().data();
    if (transfer.bytes > 0) gatherInto(target, transfer.host, layout, 0);
    transfer.host = gathered_.back().data();
  }
}

void PendingCopy::execute() noexcept {
  if (isSubmitted_) return wait();
  if (state() != CopyState::pending) return;
  try {
    engine->device().attach();
    if (before != nullptr) engine->device().streamWait(stream, before.get());
    gather();
    engine->run(batch, options, stream, &cancelled_);
    end(CopyState::done);
  } catch (...) {
    fail();
  }
}

bool PendingCopy::submitSmall(const FindSource& find) {
  if (!strided.empty() || before != nullptr) return false;
  try {
    submitted_ = engine->submitSmall(batch, options, stream, find);
    isSubmitted_ = submitted_ != nullptr;
    return isSubmitted_;
  } catch (...) {
    fail();
    return true;
  }
}

void PendingCopy::submitBlocks(BlockRequest request) {
  blocks_ = std::make_unique<BlockCopy>(*engine, std::move(request));
  try {
    blocks_->submit(stream);
    submitted_ = engine->mark(stream);
    isSubmitted_ = true;
  } catch (...) {
    try {
      engine->device().synchronize(stream);
    } catch (...) {
      // The device is lost: nothing uses the memory.
    }
    throw;
  }
}

CopyState PendingCopy::state() {
  std::unique_lock<std::mutex> lock(mutex_);
  if (state_ != CopyState::pending || submitted_ == nullptr) return state_;
  bool done = false;
  try {
    done = engine->device().isDone(submitted_.get());
  } catch (...) {
    lock.unlock();
    fail();
    return CopyState::failed;
  }
  lock.unlock();
  if (done) end(CopyState::done);
  return done ? CopyState::done : CopyState::pending;
}

void PendingCopy::wait() noexcept {
  std::unique_lock<std::mutex> lock(mutex_);
  if (state_ != CopyState::pending) return;
  if (!isSubmitted_) {
    ended_.wait(lock, [this] { return state_ != CopyState::pending; });
    return;
  }
  ++waiting_;
  lock.unlock();
  try {
    engine->device().attach();
    // Waits for the event, not for the stream, whose later work may wait for the caller.
    engine->device().wait(submitted_.get());
    end(CopyState::done);
  } catch (...) {
    fail();
  }
  lock.lock();
  --waiting_;
  letGoOfSubmitted();
}

/// Only without waiting threads, since another copy would record the event again, and they would wait for that copy.
void PendingCopy::letGoOfSubmitted() noexcept {
  if (waiting_ > 0 || state_ == CopyState::pending) return;
  if (submitted_ != nullptr) engine->putBack(std::move(submitted_));
  blocks_ = nullptr;
}

void PendingCopy::fail() noexcept {
  Failure failure = failureOf(std::current_exception());
  const CopyState state = failure.code == "copy.cancelled" ? CopyState::cancelled : CopyState::failed;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (state_ == CopyState::pending) failure_ = std::move(failure);
  }
  end(state);
}

/// The first call decides.
void PendingCopy::end(CopyState state) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (state_ != CopyState::pending) return;
  const bool onHost = batch.direction == Direction::d2h || batch.direction == Direction::h2h;
  // The requester holds results on the device.
  if (state != CopyState::done || !onHost) results.clear();
  sources.clear();
  gathered_.clear();
  before = nullptr;
  state_ = state;
  letGoOfSubmitted();
  ended_.notify_all();
}

CopyScheduler::~CopyScheduler() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void CopyScheduler::add(std::shared_ptr<PendingCopy> copy) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
    queue_.push_back(std::move(copy));
  }
  changed_.notify_one();
}

void CopyScheduler::letGo(std::shared_ptr<PendingCopy> copy) noexcept {
  if (copy.use_count() > 1 || !copy->isSubmitted() || copy->state() != CopyState::pending) return;
  try {
    add(copy);
  } catch (...) {
    // There is no thread for it, so this one waits.
  }
}

void CopyScheduler::work() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return closed_ || !queue_.empty(); });
    if (queue_.empty()) return;
    const std::shared_ptr<PendingCopy> copy = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    copy->execute();
    if (copy->onEnd) copy->onEnd();
    lock.lock();
  }
}

}  // namespace copyscope::copy
