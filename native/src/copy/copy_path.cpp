#include "copy_path.h"

#include <string>

#include "../failure.h"

namespace copyscope::copy {
namespace {

/// Where a run lies, counted from the load's first one.
std::uint64_t placeIn(const PathLoad& load, const LinkRun& run) { return run.slotOffset - load.runs[0].slotOffset; }

template <typename Visit>
void forEachRun(const PathLoad& load, const Visit& visit) {
  for (std::size_t number = 0; number < load.runCount; ++number) {
    const LinkRun& run = load.runs[number];
    visit(run.device, placeIn(load, run), static_cast<std::size_t>(run.bytes));
  }
}

std::string named(int device) { return "device " + std::to_string(device); }

}  // namespace

void CopyPath::submit(const PathLoad& load, Direction direction) {
  const std::size_t place = (first_ + loads_) % loadLimit_;
  put(place, load, direction);
  chunks_[place] = load.chunk;
  ++loads_;
  ++taken_;
}

DirectPath::DirectPath(CopyDevice& device) : device_(device) {
  device_.attach();
  for (OwnedCopyEvent& event : crossed_) event = device_.createEvent();
}

void DirectPath::put(std::size_t place, const PathLoad& load, Direction direction) {
  const bool up = direction == Direction::h2d;
  forEachRun(load, [&](std::byte* device, std::uint64_t offset, std::size_t bytes) {
    std::byte* const host = load.host + offset;
    device_.copy(up ? device : host, up ? host : device, bytes, direction, stream_);
  });
  device_.record(crossed_[place].get(), stream_);
}

RelayPath::RelayPath(CopyDevice& target, const RelayDevice& relay)
    : target_(target), relay_(relay), link_(relay.link), peer_(relay.peer) {
  CopyDevice& device = *relay_.device;
  if (!target_.reaches(device) || !device.reaches(target_)) {
    throw Failure("copy.no-peer-access",
                  "Copies to and from " + named(target_.index()) + " can't go through " + named(device.index()) +
                      ": the two have no peer access to each other's memory.",
                  "Leave " + named(device.index()) + " out, or let relay be \"auto\", which takes only devices with "
                  "peer access. `nvidia-smi topo -p2p r` shows which have it.",
                  "relay");
  }
  device.attach();
  if (link_ == nullptr) {
    ownLink_ = device.createStream();
    ownPeer_ = device.createStream();
    link_ = ownLink_.get();
    peer_ = ownPeer_.get();
  }
  for (Place& place : places_) {
    place.crossed = device.createEvent();
    place.moved = device.createEvent();
  }
  target_.attach();
}

RelayPath::~RelayPath() { close(); }

void RelayPath::begin(std::uint32_t count, std::uint64_t bytes, EventRef before) {
  openAccess();
  limitLoads(count);
  bool isShort = false;
  for (std::uint32_t number = 0; number < mostPathLoads; ++number) {
    BlockRef& slot = places_[number].slot;
    if (number >= count || (slot != nullptr && slot->bytes != blockBytes(bytes))) slot = nullptr;
    if (number < count && slot == nullptr) slot = relay_.memory->take(bytes);
    isShort = isShort || (number < count && slot == nullptr);
  }
  target_.attach();
  if (isShort) {
    throw Failure("run.out-of-memory",
                  "There is no memory for " + std::to_string(count) + " relay slots of " + std::to_string(bytes) +
                      " bytes on " + named(index()) + ".",
                  "Free memory there, lower relayBytes, or leave the device out of relay.", "relay");
  }
  relay_.device->streamWait(peer_, before);
  last_ = nullptr;
}

std::uint64_t RelayPath::slotBytes() const {
  std::uint64_t sum = 0;
  for (const Place& place : places_) sum += place.slot == nullptr ? 0 : place.slot->bytes;
  return sum;
}

void RelayPath::put(std::size_t number, const PathLoad& load, Direction direction) {
  Place& place = places_[number];
  try {
    direction == Direction::h2d ? putUp(place, load) : putDown(place, load);
  } catch (Failure& failure) {
    failure.message = "Through relay " + named(index()) + ": " + failure.message;
    throw;
  }
  last_ = direction == Direction::h2d ? place.moved.get() : place.crossed.get();
}

/// The slot is free again once its last load has gone on to the target.
void RelayPath::putUp(Place& place, const PathLoad& load) {
  CopyDevice& device = *relay_.device;
  std::byte* const slot = place.slot->memory;
  device.streamWait(link_, place.moved.get());
  device.copy(slot, load.host, static_cast<std::size_t>(load.bytes), Direction::h2d, link_);
  device.record(place.crossed.get(), link_);
  device.streamWait(peer_, place.crossed.get());
  forEachRun(load, [&](std::byte* memory, std::uint64_t offset, std::size_t bytes) {
    target_.copyPeer(memory, slot + offset, device.index(), bytes, peer_);
  });
  device.record(place.moved.get(), peer_);
}

/// The slot is free: its last load has arrived on the host.
void RelayPath::putDown(Place& place, const PathLoad& load) {
  CopyDevice& device = *relay_.device;
  std::byte* const slot = place.slot->memory;
  forEachRun(load, [&](std::byte* memory, std::uint64_t offset, std::size_t bytes) {
    device.copyPeer(slot + offset, memory, target_.index(), bytes, peer_);
  });
  device.record(place.moved.get(), peer_);
  device.streamWait(link_, place.moved.get());
  device.copy(load.host, slot, static_cast<std::size_t>(load.bytes), Direction::d2h, link_);
  device.record(place.crossed.get(), link_);
}

void RelayPath::join(StreamRef stream) {
  if (last_ != nullptr) target_.streamWait(stream, last_);
}

void RelayPath::quiesce() noexcept {
  for (const StreamRef stream : {link_, peer_}) {
    try {
      relay_.device->synchronize(stream);
    } catch (...) {
      // The device is lost: nothing runs on it.
    }
  }
}

void RelayPath::close() noexcept {
  quiesce();
  forget();
  for (Place& place : places_) place.slot = nullptr;
  closeAccess();
}

/// Before each batch: whoever else works in this process may have taken it back.
void RelayPath::openAccess() {
  CopyDevice& device = *relay_.device;
  openedThere_ = target_.openAccess(device) || openedThere_;
  openedBack_ = device.openAccess(target_) || openedBack_;
}

void RelayPath::closeAccess() noexcept {
  if (openedThere_) target_.closeAccess(*relay_.device);
  if (openedBack_) relay_.device->closeAccess(target_);
  openedThere_ = openedBack_ = false;
}

}  // namespace copyscope::copy
