#include "cpu/cpu_copy_device.h"

#include <cstring>
#include <mutex>

#include "executor/host_memory.h"

namespace copyscope {
namespace {

class PlaceEvent final : public copy::CopyEvent {
 public:
  void set(const Ticket& place) {
    const std::lock_guard<std::mutex> lock(mutex_);
    place_ = place;
  }
  Ticket get() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return place_;
  }

 private:
  std::mutex mutex_;
  Ticket place_;
};

PlaceEvent& eventOf(copy::EventRef event) { return *static_cast<PlaceEvent*>(event); }

}  // namespace

void* CpuCopyDevice::allocatePinned(std::size_t bytes) { return allocatePages(bytes).release(); }
void CpuCopyDevice::freePinned(void* memory) noexcept { FreePages()(static_cast<std::byte*>(memory)); }
std::size_t CpuCopyDevice::freeDeviceBytes() { return static_cast<std::size_t>(availableHostMemory()); }

void CpuCopyDevice::copy(void* target, const void* source, std::size_t bytes, copy::Direction, copy::StreamRef) {
  std::memcpy(target, source, bytes);
}

void CpuCopyDevice::copyPeer(void* target, const void* source, int, std::size_t bytes, copy::StreamRef stream) {
  copy(target, source, bytes, copy::Direction::d2d, stream);
}

void CpuCopyDevice::copyPieces(const copy::Piece* pieces, std::size_t count, copy::StreamRef, double) {
  copy::copyEach(pieces, count);
}

Ticket CpuCopyDevice::latest(copy::StreamRef stream) {
  const int number = numberOf(stream);
  return number == CpuCopyStream::immediate ? Ticket{} : tickets_.latest(number);
}

void CpuCopyDevice::streamWait(copy::StreamRef stream, copy::EventRef event) {
  const int number = numberOf(stream);
  if (number == CpuCopyStream::immediate) return wait(event);
  tickets_.waitIn(number, eventOf(event).get());
}

void CpuCopyDevice::synchronize(copy::StreamRef stream) { tickets_.wait(latest(stream)); }
copy::OwnedCopyEvent CpuCopyDevice::createEvent() { return std::make_unique<PlaceEvent>(); }
void CpuCopyDevice::record(copy::EventRef event, copy::StreamRef stream) { eventOf(event).set(latest(stream)); }
void CpuCopyDevice::wait(copy::EventRef event) { tickets_.wait(eventOf(event).get()); }
bool CpuCopyDevice::isDone(copy::EventRef event) { return tickets_.isReached(eventOf(event).get()); }

}  // namespace copyscope
