// What the executor asks of a device. One backend serves one run; it is made on the run's own thread.
//
// Issuing calls may come from several host threads at once. `correlation` is 0 outside recorded iterations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "program.h"
#include "rows.h"

namespace copyscope {

/// Result of comparing a region with its content.
struct Comparison {
  std::uint64_t checked = 0;
  std::uint64_t wrong = 0;
  /// Offset of the first wrong byte from the start of the region; meaningless where none is wrong.
  std::uint64_t firstWrong = 0;
};

class Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;

  // Setting up. Each throws a Failure.

  /// Creates the program's streams, events and buffers. `program` must outlive the backend.
  virtual void prepare(const Program& program) = 0;
  /// Called once on each host thread before it issues anything.
  virtual void attach(int thread) = 0;
  /// Address of a host buffer.
  virtual std::byte* host(int buffer) = 0;
  /// Writes the buffer's pattern to device memory; complete when it returns.
  virtual void fillDevice(int buffer) = 0;
  virtual Comparison compareDevice(const Expectation& expectation) = 0;

  // The operations of a stream.

  virtual void copy(const Instruction& instruction, std::int32_t correlation) = 0;
  virtual void spin(const Instruction& instruction, std::int32_t correlation) = 0;
  virtual void stream(const Instruction& instruction, std::int32_t correlation) = 0;
  virtual void recordEvent(const Instruction& instruction, std::int32_t correlation) = 0;
  virtual void waitEvent(const Instruction& instruction, std::int32_t correlation) = 0;

  // Synchronisation.

  virtual void synchronizeStream(int stream) = 0;
  virtual void synchronizeEvent(int event) = 0;
  virtual void synchronizeDevice() = 0;
  virtual bool queryStream(int stream) = 0;
  virtual bool queryEvent(int event) = 0;

  // Recording. The device is idle at each of these calls.

  virtual void beginRecording() = 0;
  virtual void beginIteration(int iteration) = 0;
  virtual void endIteration() = 0;
  /// Adds the device rows of all recorded iterations to `rows`.
  virtual void endRecording(std::vector<DeviceRow>& rows) = 0;

  /// Makes running kernels and waits end soon. May be called from any thread at any time.
  virtual void interrupt() noexcept = 0;

  /// How device times were taken, as core/trace/run.ts names it.
  virtual const char* timing() const = 0;
  /// What a reader of the trace should know.
  virtual std::vector<std::string> notes() const = 0;
};

}  // namespace copyscope
