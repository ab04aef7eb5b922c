// Host memory: page-aligned allocation, and filling and comparing regions of any alignment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "backend.h"
#include "pattern.h"

namespace copyscope {

struct FreePages {
  void operator()(std::byte* pointer) const noexcept;
};
using Pages = std::unique_ptr<std::byte, FreePages>;

/// Page-aligned pageable memory. Null where the system refuses.
Pages allocatePages(std::uint64_t bytes) noexcept;

/// Writes `content` to a region, on this thread.
void writeContent(std::byte* target, std::uint64_t bytes, const Content& content);
/// Compares a region with `content`, on this thread.
Comparison compareContent(const std::byte* data, std::uint64_t bytes, const Content& content);

/// The same with a thread for each few megabytes, as far as the machine has cores.
void fillInParallel(std::byte* target, std::uint64_t bytes, const Content& content);
/// The same, after which nothing of it lies in a processor's own caches as it was written there (x86-64).
void fillAndFlush(std::byte* target, std::uint64_t bytes, const Content& content);
Comparison compareInParallel(const std::byte* data, std::uint64_t bytes, const Content& content);

/// Bytes of memory that the system, or the control group this process is in, can still give; 0 where unknown.
std::uint64_t availableHostMemory();

/// Bytes of page-locked memory that a run may hold: what COPYSCOPE_PINNED_BUDGET says (bytes, or with K, M or G behind),
/// else half of what is available now. Throws a Failure `run.pinned-budget` where it says no number.
std::uint64_t pinnedBudget();

}  // namespace copyscope
