// CUDA's semantics over host memory and threads, so that the executor runs and is tested without a GPU.
//
// Each stream is a queue run by a thread of its own. A command's number in its stream is its ticket. All ordering is
// expressed by tickets: a command runs when its own predecessor and the tickets it needs in other streams are done.
// Commands need only what was issued before them, so they can't wait for each other in a circle.
#pragma once

#include <array>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "backend.h"
#include "counts.h"
#include "host_memory.h"
#include "stop.h"

namespace copyscope {

class CpuBackend final : public Backend {
 public:
  explicit CpuBackend(Stop& stop) : stop_(stop) {}
  ~CpuBackend() override;

  void prepare(const Program& program) override;
  void attach(int) override {}
  std::byte* host(int buffer) override { return memory_[static_cast<std::size_t>(buffer)].get(); }
  void fillDevice(int buffer) override;
  Comparison compareDevice(const Expectation& expectation) override;

  void copy(const Instruction& instruction, std::int32_t correlation) override;
  void spin(const Instruction& instruction, std::int32_t correlation) override;
  void stream(const Instruction& instruction, std::int32_t correlation) override;
  void recordEvent(const Instruction& instruction, std::int32_t correlation) override;
  void waitEvent(const Instruction& instruction, std::int32_t correlation) override;

  void synchronizeStream(int stream) override;
  void synchronizeEvent(int event) override;
  void synchronizeDevice() override;
  bool queryStream(int stream) override;
  bool queryEvent(int event) override;

  void beginRecording() override {}
  void beginIteration(int iteration) override;
  void endIteration() override;
  void endRecording(std::vector<DeviceRow>& rows) override;
  void interrupt() noexcept override;

  const char* timing() const override { return "host-clock"; }
  std::vector<std::string> notes() const override { return {}; }

 private:
  /// A place in a stream's order. `stream` is -1 where nothing was ever issued.
  struct Ticket {
    std::int32_t stream = -1;
    std::uint64_t number = 0;
  };

  struct Command {
    const Instruction* instruction = nullptr;
    std::int32_t correlation = 0;
    /// A recorded event it waits for.
    Ticket event;
    /// What must be done in each stream before a command that takes part in the legacy default stream's barrier.
    std::vector<std::uint64_t> barrier;
    bool hasBarrier = false;
    /// Source bytes taken at issue, as the driver takes a small pageable source.
    std::vector<std::byte> staged;
    bool isStaged = false;
  };

  struct Queue {
    StreamKind kind = StreamKind::nonBlocking;
    std::vector<Command> ring;
    std::uint64_t issued = 0;
    std::uint64_t completed = 0;
    std::vector<DeviceRow> rows;
    std::thread worker;
  };

  Ticket issue(const Instruction& instruction, std::int32_t correlation);
  Ticket issueLocked(std::unique_lock<std::mutex>& lock, const Instruction& instruction, std::int32_t correlation,
                     Ticket event);
  void setBarrier(Command& command, StreamKind kind) const;
  void stage(Command& command) const;
  bool isDone(const Ticket& ticket) const;
  bool isReady(const Command& command) const;
  /// Whether the stream has done all it was given; the legacy default stream counts every blocking stream's work.
  bool isIdle(int stream) const;
  void wait(const Ticket& ticket);

  void work(int stream);
  void execute(Queue& queue, int stream, const Command& command);
  void executeCopy(const Instruction& instruction, const Command& command);
  void executeStream(const Instruction& instruction);
  DeviceRow rowOf(const Command& command, int stream) const;
  std::byte* at(int buffer, std::uint64_t offset) const;
  const Buffer& buffer(int index) const { return program_->buffers[static_cast<std::size_t>(index)]; }

  Stop& stop_;
  const Program* program_ = nullptr;
  std::vector<Pages> memory_;
  std::vector<Ticket> events_;
  std::vector<std::unique_ptr<Queue>> queues_;
  /// One engine for each direction: host to device, device to host.
  std::array<std::mutex, 2> engines_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool ending_ = false;
  int iteration_ = -1;
  /// Device rows of the iterations recorded so far.
  std::vector<DeviceRow> recorded_;
};

}  // namespace copyscope
