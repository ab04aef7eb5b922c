#include "copy/host_copy_device.h"

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "executor/clock.h"
#include "executor/failure.h"

namespace copyscope::copy {
namespace {

/// Space before each block for its size, which is needed when the block is freed.
constexpr std::size_t headerBytes = 256;
constexpr std::size_t defaultMemory = std::size_t{1} << 34;
/// Interval between checks of a held copy.
constexpr std::chrono::microseconds betweenLooks{50};

/// Counts a handle during its lifetime.
class Counted {
 public:
  explicit Counted(std::shared_ptr<std::atomic<long>> count) : count_(std::move(count)) { ++*count_; }
  ~Counted() { --*count_; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  const std::shared_ptr<std::atomic<long>> count_;
};

/// Numbers of requested and of reached records of an event.
class Records {
 public:
  std::uint64_t ask() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return ++asked_;
  }
  void reach(std::uint64_t record) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (record > reached_) reached_ = record;
    changed_.notify_all();
  }
  std::uint64_t asked() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return asked_;
  }
  void waitFor(std::uint64_t record) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return reached_ >= record; });
  }
  bool isDone() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return reached_ >= asked_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t asked_ = 0;
  std::uint64_t reached_ = 0;
};

/// Streams that have not reached it yet keep its records.
class HostEvent final : public CopyEvent {
 public:
  explicit HostEvent(std::shared_ptr<std::atomic<long>> live) : live_(std::move(live)) {}
  const std::shared_ptr<Records>& records() const { return records_; }

 private:
  const Counted live_;
  const std::shared_ptr<Records> records_ = std::make_shared<Records>();
};

class HostStream final : public CopyStream {
 public:
  explicit HostStream(std::shared_ptr<std::atomic<long>> live) : live_(std::move(live)), worker_([this] { work(); }) {}
  ~HostStream() override {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      closed_ = true;
    }
    changed_.notify_all();
    worker_.join();
  }
  void put(std::function<void()> command) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      commands_.push_back(std::move(command));
    }
    changed_.notify_all();
  }
  void synchronize() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return commands_.empty() && !busy_; });
  }

 private:
  void work() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return closed_ || !commands_.empty(); });
      if (commands_.empty()) return;
      const std::function<void()> command = std::move(commands_.front());
      commands_.pop_front();
      busy_ = true;
      lock.unlock();
      command();
      lock.lock();
      busy_ = false;
      changed_.notify_all();
    }
  }

  const Counted live_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> commands_;
  bool busy_ = false;
  bool closed_ = false;
  std::thread worker_;
};

HostStream& streamOf(StreamRef stream) { return *static_cast<HostStream*>(stream); }
const std::shared_ptr<Records>& recordsOf(EventRef event) { return static_cast<HostEvent*>(event)->records(); }

std::byte* allocate(std::size_t bytes) {
  const std::size_t whole = (bytes + headerBytes + 255) / 256 * 256;
#ifdef _WIN32
  auto* const memory = static_cast<std::byte*>(_aligned_malloc(whole, 256));
#else
  auto* const memory = static_cast<std::byte*>(std::aligned_alloc(256, whole));
#endif
  if (memory == nullptr) return nullptr;
  std::memcpy(memory, &bytes, sizeof(bytes));
  return memory + headerBytes;
}

std::size_t release(void* memory) noexcept {
  auto* const start = static_cast<std::byte*>(memory) - headerBytes;
  std::size_t bytes = 0;
  std::memcpy(&bytes, start, sizeof(bytes));
#ifdef _WIN32
  _aligned_free(start);
#else
  std::free(start);
#endif
  return bytes;
}

}  // namespace

HostCopyDevice::HostCopyDevice(int index) : index_(index), limit_(defaultMemory) {}
HostCopyDevice::~HostCopyDevice() = default;

void* HostCopyDevice::allocatePinned(std::size_t bytes) {
  void* const memory = allocate(bytes);
  if (memory != nullptr) ++liveBlocks_;
  return memory;
}

void HostCopyDevice::freePinned(void* memory) noexcept {
  release(memory);
  --liveBlocks_;
}

void* HostCopyDevice::allocateDevice(std::size_t bytes) {
  if (used_.fetch_add(bytes) + bytes > limit_.load()) {
    used_ -= bytes;
    return nullptr;
  }
  void* const memory = allocate(bytes);
  if (memory == nullptr) {
    used_ -= bytes;
  } else {
    ++liveBlocks_;
  }
  return memory;
}

void HostCopyDevice::freeDevice(void* memory) noexcept {
  used_ -= release(memory);
  --liveBlocks_;
}

std::size_t HostCopyDevice::freeDeviceBytes() {
  const std::size_t limit = limit_.load();
  const std::size_t used = used_.load();
  return used < limit ? limit - used : 0;
}

void HostCopyDevice::failIfOrdered() {
  if (failAfter_.load() >= 0 && failAfter_.fetch_sub(1) == 0) {
    throw Failure("engine.cuda", "The simulated device failed this copy, as ordered.");
  }
}

void HostCopyDevice::copy(void* target, const void* source, std::size_t bytes, Direction, StreamRef stream) {
  failIfOrdered();
  ++copies_;
  const long delay = delayNs_.load();
  const std::shared_ptr<const std::atomic<bool>> held = holdsNext_.exchange(false) ? held_ : nullptr;
  streamOf(stream).put([target, source, bytes, delay, held, mayGo = mayGo_] {
    while ((held && held->load()) || (mayGo && !mayGo())) std::this_thread::sleep_for(betweenLooks);
    if (delay > 0) std::this_thread::sleep_for(std::chrono::nanoseconds(delay));
    std::memcpy(target, source, bytes);
  });
}

void HostCopyDevice::copyPeer(void* target, const void* source, int, std::size_t bytes, StreamRef stream) {
  copy(target, source, bytes, Direction::d2d, stream);
}

void HostCopyDevice::copyPieces(const Piece* pieces, std::size_t count, StreamRef stream, double) {
  failIfOrdered();
  ++pieceLaunches_;
  streamOf(stream).put([pieces, count] { copyEach(pieces, count); });
}

void HostCopyDevice::failHandleIfOrdered() {
  if (failHandleAfter_.load() >= 0 && failHandleAfter_.fetch_sub(1) == 0) {
    throw Failure("engine.cuda", "The simulated device made no stream or event, as ordered.");
  }
}

OwnedCopyStream HostCopyDevice::createStream() {
  failHandleIfOrdered();
  return std::make_unique<HostStream>(liveHandles_);
}

OwnedCopyEvent HostCopyDevice::createEvent() {
  failHandleIfOrdered();
  return std::make_unique<HostEvent>(liveHandles_);
}

void HostCopyDevice::synchronize(StreamRef stream) { streamOf(stream).synchronize(); }

void HostCopyDevice::record(EventRef event, StreamRef stream) {
  const std::shared_ptr<Records> records = recordsOf(event);
  const std::uint64_t number = records->ask();
  streamOf(stream).put([records, number] { records->reach(number); });
}

void HostCopyDevice::wait(EventRef event) { recordsOf(event)->waitFor(recordsOf(event)->asked()); }
bool HostCopyDevice::isDone(EventRef event) { return recordsOf(event)->isDone(); }

void HostCopyDevice::streamWait(StreamRef stream, EventRef event) {
  const std::shared_ptr<Records> records = recordsOf(event);
  const std::uint64_t number = records->asked();
  streamOf(stream).put([records, number] { records->waitFor(number); });
}

}  // namespace copyscope::copy
