// The executor's interface to a device. One backend serves one run; it is made on the run's own thread. Several host
// threads may issue calls at once. `correlation` is 0 outside recorded iterations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "copy/copy_part.h"
#include "executor/program.h"
#include "executor/rows.h"
#include "memory/allocator_statistics.h"

namespace copyscope {

/// Result of comparing a region with its content.
struct Comparison {
  std::uint64_t checked = 0;
  std::uint64_t wrong = 0;
  /// Offset of the first wrong byte from the start of the region; meaningless if none is wrong.
  std::uint64_t firstWrong = 0;
};

class Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;

  // Set-up functions. Each throws a Failure.

  /// Creates the program's streams, events and buffers. `program` must outlive the backend.
  virtual void prepare(const Program& program) = 0;
  /// Called once on each host thread before it issues anything.
  virtual void attach(int thread) = 0;
  /// Called before each iteration, with the device idle: frees the buffers and graphs that operations made.
  virtual void reset() = 0;
  /// Returns the address of a buffer, which the host reads only if it is host memory. Throws a Failure `run.not-allocated` before its allocate and after its free.
  virtual std::byte* host(int buffer) = 0;
  /// Returns true if the buffer has memory now.
  virtual bool isAllocated(int buffer) const = 0;
  /// Writes the buffer's pattern to device memory; complete on return.
  virtual void fillDevice(int buffer) = 0;
  virtual Comparison compareDevice(const Expectation& expectation) = 0;
  /// Compares the last output of a library's kernel with the expected one.
  virtual Comparison compareKernel(const LibraryResult& result) = 0;

  // Operations of a stream.

  /// Puts a copy, kernel, memset, item, host function, event record or wait, or the launch of a graph into its stream,
  /// or into the graph between beginCapture() and endCapture() of that stream. An item only puts its copy.
  virtual void issue(const Instruction& instruction, std::int32_t correlation) = 0;

  virtual void beginCapture(const Instruction& instruction) = 0;
  virtual void endCapture(const Instruction& instruction) = 0;
  /// Prepares the captured graph for launch in two steps, so that each can be timed.
  virtual void instantiate(const Instruction& instruction) = 0;
  virtual void upload(const Instruction& instruction) = 0;

  /// Makes the objects that a call's library needs at its first use in a stream. Returns the call that did so; nothing
  /// if this iteration needs no more.
  virtual std::optional<CallName> makePlan(const Instruction& instruction) = 0;

  // Memory made by operations. Each function returns the CUDA call that it made; none if a cache served.

  virtual CallName allocate(const Instruction& instruction) = 0;
  virtual CallName free(const Instruction& instruction) = 0;
  virtual void recordStream(const Instruction& instruction) = 0;
  /// Advises where the pages of managed memory should lie.
  virtual void advise(const Instruction& instruction) = 0;
  /// Allocates page-locked memory from the caching host allocator for a buffer made by an operation; does nothing for
  /// others.
  virtual CallName allocatePinned(int buffer) = 0;
  /// Notes what the allocators hold in a recorded iteration.
  virtual void noteMemory(int iteration) = 0;
  /// Returns the state of the allocators.
  virtual std::vector<MemoryReport> memory() const = 0;

  // Multi-tensor copies, which several threads make together.

  /// Returns the copy engine's view of a device.
  virtual std::unique_ptr<copy::CopyDevice> makeCopyDevice(int device) = 0;
  /// Returns one of the program's streams for that view.
  virtual copy::StreamRef copyStream(int stream) = 0;
  /// Returns the limit of page-locked memory for the multi-tensor copies of a device, in bytes.
  virtual std::uint64_t copyBudget(int device) const = 0;
  /// Returns the blocks of a block copy where the devices reach them.
  virtual const copy::Piece* blockTable(int table) = 0;
  virtual void issuePart(const CopyPart& part, std::int32_t correlation) = 0;
  /// Restores this host thread's device on the calling thread, since a copy engine may have set another.
  virtual void makeCurrent(int thread) = 0;

  // Synchronisation.

  virtual void synchronizeStream(int stream) = 0;
  virtual void synchronizeEvent(int event) = 0;
  /// Synchronises all devices if `device` is -1.
  virtual void synchronizeDevice(int device) = 0;
  virtual bool queryStream(int stream) = 0;
  virtual bool queryEvent(int event) = 0;
  /// Returns nanoseconds between two events. Throws a Failure `run.event-not-complete` if one has not been reached.
  virtual double elapsedNs(int start, int end) = 0;

  // Recording. The device is idle at each of these calls.

  virtual void beginRecording() = 0;
  virtual void beginIteration(int iteration) = 0;
  virtual void endIteration() = 0;
  /// Adds the device rows of all recorded iterations to `rows`.
  virtual void endRecording(std::vector<DeviceRow>& rows) = 0;
  /// Adds the rows of the iterations recorded so far, if available without disturbing the next one.
  virtual void recordedSoFar(std::vector<DeviceRow>& rows) const = 0;

  /// Makes running kernels and waits end soon. May be called from any thread at any time.
  virtual void interrupt() noexcept = 0;

  /// Returns the source of device times, as named in core/trace/run.ts.
  virtual const char* timing() const = 0;
  /// Returns notes for readers of the trace.
  virtual std::vector<std::string> notes() const = 0;
};

}  // namespace copyscope
