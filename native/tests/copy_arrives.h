// Helpers shared by the tests of multi-tensor copies.
#pragma once

#include <atomic>

#include "copy/copy_observer.h"
#include "copy/multi_copy.h"

namespace copyscope::testing {

/// Returns true if every byte of a copy into overwritten targets is right.
inline bool arrives(copy::MultiCopy& copies, copy::CopyEngine& engine) {
  copies.poison();
  copies.run(engine.defaultStream());
  const Comparison found = copies.verify();
  return found.wrong == 0 && found.checked == copies.bytes();
}

/// Returns the number of random examples to draw: fewer with ThreadSanitizer, which takes ten times as long.
constexpr int rounds(int all) {
#ifdef __SANITIZE_THREAD__
  return all / 4;
#else
  return all;
#endif
}

/// Cancels a batch as soon as the host has copied a part of it.
struct CancelAtFirst final : copy::CopyObserver {
  void hostCopied(unsigned, std::int64_t, std::uint64_t) override { cancelled.store(true); }
  std::atomic<bool> cancelled{false};
};

}  // namespace copyscope::testing
