// Copies within host memory that go past the processor's caches.
#pragma once

#include <cstddef>

namespace copyscope::copy {

/// Like memcpy; but what was written lies in memory, and not in the caches of the processor that wrote it, out of which
/// a device reads it at half the speed. Complete for others after finishStreaming(), called on the same thread.
void copyStreaming(std::byte* target, const std::byte* source, std::size_t bytes) noexcept;
void finishStreaming() noexcept;

}  // namespace copyscope::copy
