// An observer of the copies that the host itself makes for a batch.
#pragma once

#include <cstdint>

#include "executor/clock.h"

namespace copyscope::copy {

class CopyObserver {
 public:
  /// Reports that the calling thread has copied `bytes` within host memory since `startNs`. `worker` is 0 for the
  /// thread that runs the batch, and counts its helpers from 1. Called from several threads at once.
  virtual void hostCopied(unsigned worker, std::int64_t startNs, std::uint64_t bytes) = 0;

 protected:
  ~CopyObserver() = default;
};

/// Returns the calling thread's number among those that work on a batch; 0 for the one that runs it.
unsigned workerNumber() noexcept;

/// Reports the copies made during its lifetime to the observer, if there is one.
class ObservedCopy {
 public:
  ObservedCopy(CopyObserver* observer, std::uint64_t bytes)
      : observer_(bytes > 0 ? observer : nullptr), startNs_(observer_ == nullptr ? 0 : nowNs()), bytes_(bytes) {}
  ~ObservedCopy() {
    if (observer_ != nullptr) observer_->hostCopied(workerNumber(), startNs_, bytes_);
  }
  ObservedCopy(const ObservedCopy&) = delete;
  ObservedCopy& operator=(const ObservedCopy&) = delete;

 private:
  CopyObserver* const observer_;
  const std::int64_t startNs_;
  const std::uint64_t bytes_;
};

}  // namespace copyscope::copy
