#include "copy/multi_copy.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>

#include "copy/shared_work.h"
#include "executor/failure.h"

namespace copyscope::copy {
namespace {

constexpr int poisonByte = 0xEE;
/// Making and checking less than this isn't worth another thread.
constexpr std::uint64_t bytesPerHand = 4u << 20;

Content contentOf(std::size_t index) {
  Content content;
  content.kind = PatternKind::random;
  content.value = firstPatternSeed + static_cast<std::uint32_t>(index);
  return content;
}

[[noreturn]] void outOfMemory(std::uint64_t bytes, const char* where, std::uint64_t available) {
  throw Failure("run.out-of-memory",
                "There is not enough " + std::string(where) + " memory for a tensor of " + std::to_string(bytes) +
                    " bytes; " + std::to_string(available) + " bytes are free.",
                "Copy fewer or smaller tensors, or free memory held by other programs.");
}

}  // namespace

MultiCopy::MultiCopy(CopyEngine& engine, MultiCopyPlan plan, const std::atomic<bool>* cancelled)
    : engine_(engine), plan_(std::move(plan)), cancelled_(cancelled) {
  engine_.device().attach();
  batch_.direction = plan_.direction;
  batch_.transfers.resize(plan_.sizes.size());
  for (const std::uint64_t size : plan_.sizes) {
    tensors_.push_back({size, 4, true});
    bytes_ += size;
  }
  makeSources();
  if (!isCancelled()) placeTargets();
}

std::byte* MultiCopy::makeHost(std::uint64_t bytes, bool pinned) {
  if (pinned) {
    BlockRef block = engine_.pinnedMemory().take(bytes);
    if (block == nullptr) outOfMemory(bytes, "page-locked", availableHostMemory());
    blocks_.push_back(block);
    return block->memory;
  }
  Pages memory = allocatePages(bytes);
  if (memory == nullptr) outOfMemory(bytes, "host", availableHostMemory());
  pages_.push_back(std::move(memory));
  return pages_.back().get();
}

std::byte* MultiCopy::makeDevice(std::uint64_t bytes, std::vector<BlockRef>& into) {
  BlockRef block = engine_.deviceMemory().take(bytes);
  if (block == nullptr) outOfMemory(bytes, "device", engine_.device().freeDeviceBytes());
  into.push_back(block);
  return block->memory;
}

/// Calls `work(index, hand)` for every tensor, on as many threads as there are cores.
template <typename Work>
void MultiCopy::forEachTensor(const Work& work) {
  CopyDevice& device = engine_.device();
  const std::size_t count = plan_.sizes.size();
  const std::uint64_t largest = count == 0 ? 0 : *std::max_element(plan_.sizes.begin(), plan_.sizes.end());
  WorkerPool workers([](unsigned) {}, 0);
  std::mutex mutex;
  std::vector<Hand> spare;
  const auto takeHand = [&] {
    {
      const std::lock_guard<std::mutex> lock(mutex);
      if (!spare.empty()) {
        Hand hand = std::move(spare.back());
        spare.pop_back();
        return hand;
      }
    }
    Hand hand;
    hand.scratch = allocatePages(largest);
    if (hand.scratch == nullptr) outOfMemory(largest, "host", availableHostMemory());
    hand.stream = device.createStream();
    return hand;
  };
  const std::uint64_t useful = std::max<std::uint64_t>(1, bytes_ / bytesPerHand);
  const std::uint64_t cores = std::max(1u, std::thread::hardware_concurrency());
  const std::uint64_t threads = std::min<std::uint64_t>({useful, count, cores});
  const unsigned helpers = threads > 0 ? static_cast<unsigned>(threads - 1) : 0;
  SharedWork all(count);
  all.run(workers, helpers, cancelled_, [&](std::size_t index, SharedWork&) {
    device.attach();
    Hand hand = takeHand();
    work(index, hand);
    const std::lock_guard<std::mutex> lock(mutex);
    spare.push_back(std::move(hand));
  });
  all.rethrow();
}

void MultiCopy::move(const Hand& hand, std::byte* target, const std::byte* source, std::uint64_t bytes,
                     Direction direction) {
  if (bytes == 0) return;
  engine_.device().copy(target, source, static_cast<std::size_t>(bytes), direction, hand.stream.get());
  engine_.device().synchronize(hand.stream.get());
}

void MultiCopy::makeSources() {
  for (std::size_t index = 0; index < plan_.sizes.size() && !isCancelled(); ++index) {
    Transfer& transfer = batch_.transfers[index];
    transfer.bytes = plan_.sizes[index];
    transfer.pinned = plan_.pinned && plan_.direction != Direction::d2d;
    std::byte*& source = plan_.direction == Direction::d2h ? transfer.device : transfer.host;
    source = hostSource() ? makeHost(transfer.bytes, plan_.pinned) : makeDevice(transfer.bytes, blocks_);
  }
  forEachTensor([&](std::size_t index, const Hand& hand) {
    const Transfer& transfer = batch_.transfers[index];
    if (hostSource()) return writeContent(transfer.host, transfer.bytes, contentOf(index));
    writeContent(hand.scratch.get(), transfer.bytes, contentOf(index));
    std::byte* const target = plan_.direction == Direction::d2h ? transfer.device : transfer.host;
    move(hand, target, hand.scratch.get(), transfer.bytes, Direction::h2d);
  });
}

/// Host targets are made once and touched; device targets are placed anew in each run.
void MultiCopy::placeTargets() {
  if (hostTarget()) {
    for (Transfer& transfer : batch_.transfers) {
      std::byte*& target = plan_.direction == Direction::d2h ? transfer.host : transfer.device;
      if (target != nullptr || isCancelled()) continue;
      target = makeHost(transfer.bytes, plan_.pinned);
      std::memset(target, poisonByte, static_cast<std::size_t>(transfer.bytes));
    }
    return;
  }
  const bool packs = plan_.options.strategy >= Strategy::packed && plan_.direction == Direction::h2d;
  CopyOptions options = plan_.options;
  options.packCpuTensors = options.packCpuTensors && packs;
  planPacking(tensors_, options, packing_);
  results_.clear();
  for (const std::uint64_t bytes : packing_.storages) makeDevice(bytes, results_);
  for (std::size_t index = 0; index < tensors_.size(); ++index) {
    const Placement& placement = packing_.placements[index];
    Transfer& transfer = batch_.transfers[index];
    if (placement.storage == noStorage) continue;
    transfer.storage = placement.storage;
    transfer.device = results_[placement.storage]->memory + placement.offset;
  }
}

void MultiCopy::run(StreamRef stream, CopyObserver* observer) {
  placeTargets();
  engine_.run(batch_, plan_.options, stream, cancelled_, observer);
}

void MultiCopy::runBare(StreamRef stream) {
  CopyDevice& device = engine_.device();
  const bool down = plan_.direction == Direction::d2h;
  for (const Transfer& transfer : batch_.transfers) {
    if (transfer.bytes == 0) continue;
    device.copy(down ? transfer.host : transfer.device, down ? transfer.device : transfer.host,
                static_cast<std::size_t>(transfer.bytes), plan_.direction, stream);
  }
  device.synchronize(stream);
}

void MultiCopy::poison() {
  forEachTensor([&](std::size_t index, const Hand& hand) {
    const Transfer& transfer = batch_.transfers[index];
    const auto bytes = static_cast<std::size_t>(transfer.bytes);
    if (bytes == 0) return;
    if (hostTarget()) {
      std::memset(plan_.direction == Direction::d2h ? transfer.host : transfer.device, poisonByte, bytes);
      return;
    }
    std::memset(hand.scratch.get(), poisonByte, bytes);
    move(hand, transfer.device, hand.scratch.get(), bytes, Direction::h2d);
  });
}

Comparison MultiCopy::verify() {
  std::vector<Comparison> found(plan_.sizes.size());
  forEachTensor([&](std::size_t index, const Hand& hand) {
    const Transfer& transfer = batch_.transfers[index];
    const std::byte* data = plan_.direction == Direction::d2h ? transfer.host : transfer.device;
    if (!hostTarget()) {
      move(hand, hand.scratch.get(), transfer.device, transfer.bytes, Direction::d2h);
      data = hand.scratch.get();
    }
    found[index] = compareContent(data, transfer.bytes, contentOf(index));
  });
  Comparison total;
  for (const Comparison& tensor : found) {
    if (total.wrong == 0 && tensor.wrong > 0) total.firstWrong = total.checked + tensor.firstWrong;
    total.checked += tensor.checked;
    total.wrong += tensor.wrong;
  }
  return total;
}

}  // namespace copyscope::copy
