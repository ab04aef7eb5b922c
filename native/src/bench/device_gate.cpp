#include "bench/device_gate.h"

namespace copyscope::bench {

DeviceGate::DeviceGate(Stop& stop)
    : stop_(stop), memory_(allocateMapped(sizeof(GateWords))), onDevice_(addressOnDevice(memory_)) {
  words()->open = 1;
  words()->timedOut = 0;
}

void DeviceGate::close() {
  words()->timedOut = 0;
  words()->open = 0;
  // A stop may have opened the gate just before.
  if (stop_.requested()) open();
}

void DeviceGate::hold(cudaStream_t stream) {
  check(launchGate(stream, static_cast<volatile GateWords*>(onDevice_)), "cudaLaunchKernel");
}

void DeviceGate::open() noexcept { words()->open = 1; }

void DeviceGate::requireHeld() const {
  if (words()->timedOut == 0) return;
  throw Failure("bench.gate", "The host was held for ten seconds while it filled the stream.",
                "Ask for fewer copies in a sample.");
}

}  // namespace copyscope::bench
