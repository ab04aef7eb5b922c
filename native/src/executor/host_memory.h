// Host memory: page-aligned allocation, and filling and comparing regions of any alignment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "executor/backend.h"
#include "executor/pattern.h"

namespace copyscope {

struct FreePages {
  void operator()(std::byte* pointer) const noexcept;
};
using Pages = std::unique_ptr<std::byte, FreePages>;

/// Allocates page-aligned pageable memory. Returns null if the system refuses.
Pages allocatePages(std::uint64_t bytes) noexcept;

/// Writes `content` to a region, on this thread.
void writeContent(std::byte* target, std::uint64_t bytes, const Content& content);
/// Compares a region with `content`, on this thread.
Comparison compareContent(const std::byte* data, std::uint64_t bytes, const Content& content);

/// Does so with a thread for each few megabytes, limited by the machine's cores.
void fillInParallel(std::byte* target, std::uint64_t bytes, const Content& content);
/// Does so, and leaves no modified data in a processor's own caches (x86-64).
void fillAndFlush(std::byte* target, std::uint64_t bytes, const Content& content);
Comparison compareInParallel(const std::byte* data, std::uint64_t bytes, const Content& content);

/// Returns the bytes of memory still available from the system, or this process's control group; 0 if unknown.
std::uint64_t availableHostMemory();

/// Returns the limit of page-locked memory of a run in bytes: COPYSCOPE_PINNED_BUDGET (bytes, or a number with K, M or
/// G), else half of the memory available now. Throws a Failure `run.pinned-budget` if it is no number.
std::uint64_t pinnedBudget();

}  // namespace copyscope
