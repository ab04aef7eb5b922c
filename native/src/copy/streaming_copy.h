// Copies within host memory that bypass the processor's caches.
#pragma once

#include <cstddef>

namespace copyscope::copy {

/// Like memcpy, but the written data is in memory, not in the caches of the writing processor, from which a device
/// reads it at half the speed. Complete for others after finishStreaming(), called on the same thread.
void copyStreaming(std::byte* target, const std::byte* source, std::size_t bytes) noexcept;
void finishStreaming() noexcept;

}  // namespace copyscope::copy
