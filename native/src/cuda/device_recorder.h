// Records the device times of iterations; implementations use different sources.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "cupti/activity_join.h"
#include "executor/counts.h"

namespace copyscope {

/// The handles of a program's streams, by index.
struct StreamHandles {
  const Program* program = nullptr;
  std::vector<cudaStream_t> handles;
  /// CUDA's number of each stream's device.
  std::vector<int> ordinals;
};

class DeviceRecorder {
 public:
  DeviceRecorder() = default;
  DeviceRecorder(const DeviceRecorder&) = delete;
  DeviceRecorder& operator=(const DeviceRecorder&) = delete;
  virtual ~DeviceRecorder() = default;

  /// Called on the thread of a per-thread default stream, or on the run's own thread for any other stream.
  virtual void identify(int stream) = 0;
  /// Throws a Failure if recording can't begin.
  virtual void begin(const Counts& counts) = 0;
  virtual void beginIteration() = 0;
  /// Called around the call that issues an operation; `position` is its place in the stream in this iteration.
  virtual void before(int stream, std::size_t position) = 0;
  virtual void after(int stream, std::size_t position) = 0;
  /// Called with an idle device. `issued` has the operations of each stream, in order.
  virtual void endIteration(int iteration, const std::vector<std::vector<Issued>>& issued) = 0;
  /// Adds rows that are available already.
  virtual void recordedSoFar(std::vector<DeviceRow>&) const {}
  /// Adds the rows of all iterations to `rows`.
  virtual void end(std::vector<DeviceRow>& rows) = 0;

  virtual const char* timing() const = 0;
  virtual std::vector<std::string> notes() const = 0;
};

}  // namespace copyscope
