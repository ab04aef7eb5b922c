// Reusable blocks of memory: taking one in a steady state allocates nothing. A block returns when its last reference is
// dropped. References are held until copies are done, so that a taken block is free to use at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace copyscope::copy {

struct PoolCounts {
  /// Allocations ever made, and their bytes.
  std::uint64_t allocations = 0;
  std::uint64_t allocatedBytes = 0;
  /// Bytes held from the system now, and those of them in use.
  std::uint64_t reservedBytes = 0;
  std::uint64_t usedBytes = 0;
};

struct Block {
  std::byte* memory = nullptr;
  std::uint64_t bytes = 0;
};
using BlockRef = std::shared_ptr<const Block>;

/// Returns the size to which a request is rounded up: one of eight sizes between powers of two, at least 512.
std::uint64_t blockBytes(std::uint64_t bytes);

/// Scope of a pool's budget: all memory held from the system, or only unused memory.
enum class Budget { held, kept };

class MemoryPool : public std::enable_shared_from_this<MemoryPool> {
 public:
  using Allocate = std::function<void*(std::size_t)>;
  using Free = std::function<void(void*)>;

  /// `budget`: bytes, 0 for no limit. Made by std::make_shared.
  MemoryPool(Allocate allocate, Free release, std::uint64_t budget, Budget budgetFor = Budget::held);
  ~MemoryPool();
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  /// Returns null if the budget or the system has no more. Frees unused blocks first, and tries again.
  BlockRef take(std::uint64_t bytes);
  /// Returns the start of this pool's block that contains the bytes, or null.
  const std::byte* blockOf(const void* memory, std::uint64_t bytes) const;
  /// Returns unused blocks to the system.
  void trim();
  PoolCounts counts() const;
  Budget budgetFor() const { return budgetFor_; }

 private:
  std::byte* reserve(std::uint64_t bytes);
  bool isOver(std::uint64_t bytes) const { return budget_ > 0 && bytes > budget_; }
  void putBack(Block block) noexcept;
  void trimLocked() noexcept;
  void giveBack(std::byte* memory, std::uint64_t bytes) noexcept;

  const Allocate allocate_;
  const Free release_;
  const std::uint64_t budget_;
  const Budget budgetFor_;
  mutable std::mutex mutex_;
  std::map<std::uint64_t, std::vector<std::byte*>> unused_;
  std::map<const std::byte*, std::uint64_t> blocks_;
  PoolCounts counts_;
};

}  // namespace copyscope::copy
