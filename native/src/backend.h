// What the executor asks of a device. One backend serves one run; it is made on the run's own thread.
//
// Issuing calls may come from several host threads at once. `correlation` is 0 outside recorded iterations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "copy_part.h"
#include "memory/memory_report.h"
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
  /// Before each iteration, with the device idle: ends the buffers and graphs that operations made.
  virtual void reset() = 0;
  /// Address of a host buffer. Throws a Failure `run.not-allocated` before its allocate and after its free.
  virtual std::byte* host(int buffer) = 0;
  /// Whether the buffer has memory now.
  virtual bool isAllocated(int buffer) const = 0;
  /// Writes the buffer's pattern to device memory; complete when it returns.
  virtual void fillDevice(int buffer) = 0;
  virtual Comparison compareDevice(const Expectation& expectation) = 0;
  /// Compares what a library's kernel wrote last with what it should have written.
  virtual Comparison compareKernel(const LibraryResult& result) = 0;

  // The operations of a stream.

  /// Puts a copy, kernel, memset, item, host function, event record or wait, or the launch of a graph into its stream;
  /// between beginCapture() and endCapture() of that stream, into the graph. Of an item only the copy.
  virtual void issue(const Instruction& instruction, std::int32_t correlation) = 0;

  virtual void beginCapture(const Instruction& instruction) = 0;
  virtual void endCapture(const Instruction& instruction) = 0;
  /// Make what was captured ready to launch: two steps, so that each can be timed.
  virtual void instantiate(const Instruction& instruction) = 0;
  virtual void upload(const Instruction& instruction) = 0;

  /// What the library of a call makes at its first use in a stream: the call that did so; none where there was nothing left
  /// to be made in this iteration.
  virtual std::optional<CallName> makePlan(const Instruction& instruction) = 0;

  // Memory made by operations. Each returns the CUDA call that was made; none where a cache served.

  virtual CallName allocate(const Instruction& instruction) = 0;
  virtual CallName free(const Instruction& instruction) = 0;
  virtual void recordStream(const Instruction& instruction) = 0;
  /// Page-locked memory of the caching host allocator for a buffer made by operation; nothing to do for any other.
  virtual CallName allocatePinned(int buffer) = 0;
  /// What the allocators hold now.
  virtual std::vector<MemoryReport> memory() const = 0;

  // Multi-tensor copies, which several threads make together.

  /// The copy engine's view of a device.
  virtual std::unique_ptr<copy::CopyDevice> makeCopyDevice(int device) = 0;
  /// One of the program's streams as that view names it.
  virtual copy::StreamRef copyStream(int stream) = 0;
  /// Bytes of page-locked memory that the multi-tensor copies of a device may hold.
  virtual std::uint64_t copyBudget(int device) const = 0;
  virtual void issuePart(const CopyPart& part, std::int32_t correlation) = 0;
  /// The calling thread goes on as this host thread: a copy engine may have given it another device.
  virtual void makeCurrent(int thread) = 0;

  // Synchronisation.

  virtual void synchronizeStream(int stream) = 0;
  virtual void synchronizeEvent(int event) = 0;
  /// Of all devices where `device` is -1.
  virtual void synchronizeDevice(int device) = 0;
  virtual bool queryStream(int stream) = 0;
  virtual bool queryEvent(int event) = 0;
  /// Nanoseconds between two events. Throws a Failure `run.event-not-complete` where one has not been reached.
  virtual double elapsedNs(int start, int end) = 0;

  // Recording. The device is idle at each of these calls.

  virtual void beginRecording() = 0;
  virtual void beginIteration(int iteration) = 0;
  virtual void endIteration() = 0;
  /// Adds the device rows of all recorded iterations to `rows`.
  virtual void endRecording(std::vector<DeviceRow>& rows) = 0;
  /// Adds those of the iterations recorded so far, as far as they can be had without disturbing the next.
  virtual void recordedSoFar(std::vector<DeviceRow>& rows) const = 0;

  /// Makes running kernels and waits end soon. May be called from any thread at any time.
  virtual void interrupt() noexcept = 0;

  /// How device times were taken, as core/trace/run.ts names it.
  virtual const char* timing() const = 0;
  /// What a reader of the trace should know.
  virtual std::vector<std::string> notes() const = 0;
};

}  // namespace copyscope
