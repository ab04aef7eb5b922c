// The calling thread's current device. Launches, events and the default streams belong to it, so a thread that works
// with another device's stream changes over for the call, as PyTorch does.
#pragma once

#include "cuda_calls.h"

namespace copyscope {

/// Makes `ordinal` the thread's device until the scope ends. Free of charge where it is that already.
class DeviceScope {
 public:
  explicit DeviceScope(int ordinal) : previous_(current) { change(ordinal); }
  ~DeviceScope() {
    if (previous_ >= 0 && previous_ != current && cudaSetDevice(previous_) == cudaSuccess) current = previous_;
  }
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

  /// Makes `ordinal` the thread's device for good.
  static void change(int ordinal) {
    if (ordinal == current) return;
    check(cudaSetDevice(ordinal), "cudaSetDevice");
    current = ordinal;
  }
  /// The same where nothing may be thrown; false where the device is lost.
  static bool tryChange(int ordinal) noexcept {
    if (cudaSetDevice(ordinal) != cudaSuccess) return false;
    current = ordinal;
    return true;
  }

 private:
  static inline thread_local int current = -1;
  const int previous_;
};

}  // namespace copyscope
