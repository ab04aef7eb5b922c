// The calling thread's current device. Launches, events and default streams belong to it, so a thread that uses another
// device's stream switches for the call, as PyTorch does.
#pragma once

#include "cuda/cuda_calls.h"

namespace copyscope {

/// Makes `ordinal` the thread's device until the scope ends. Costs nothing if it is that already.
class DeviceScope {
 public:
  explicit DeviceScope(int ordinal) : current_(current), previous_(current_) { change(current_, ordinal); }
  ~DeviceScope() {
    if (previous_ >= 0 && previous_ != current_ && cudaSetDevice(previous_) == cudaSuccess) current_ = previous_;
  }
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

  /// Makes `ordinal` the thread's device for good.
  static void change(int ordinal) { change(current, ordinal); }
  /// Does so without exceptions; returns false if the device is lost.
  static bool tryChange(int ordinal) noexcept {
    if (cudaSetDevice(ordinal) != cudaSuccess) return false;
    current = ordinal;
    return true;
  }

 private:
  static void change(int& from, int ordinal) {
    if (ordinal == from) return;
    check(cudaSetDevice(ordinal), "cudaSetDevice");
    from = ordinal;
  }

  static inline thread_local int current = -1;
  /// This thread's variable, looked up once, since each access takes a call.
  int& current_;
  const int previous_;
};

}  // namespace copyscope
