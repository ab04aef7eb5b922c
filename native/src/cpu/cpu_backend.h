// CUDA's semantics over host memory and threads, so that the executor runs and is tested without a GPU.
//
// Each stream is a queue run by a thread of its own. A command's number in its stream is its ticket. All ordering is
// expressed by tickets: a command runs when its own predecessor and the tickets it needs in other streams are done.
// Commands need only what was issued before them, so they can't wait for each other in a circle.
//
// Setting up and synchronising are in cpu_backend.cpp, issuing in cpu_issue.cpp, graphs in cpu_graph.cpp, the streams'
// own threads in cpu_execute.cpp.
#pragma once

#include <array>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "cpu/cpu_copy_device.h"
#include "cpu/cpu_memory.h"
#include "cpu/cpu_tickets.h"
#include "executor/backend.h"
#include "executor/counts.h"
#include "executor/host_memory.h"
#include "executor/run_failures.h"
#include "executor/stop.h"

namespace copyscope {

class CpuBackend final : public Backend, private CpuTickets {
 public:
  explicit CpuBackend(Stop& stop) : stop_(stop) {}
  ~CpuBackend() override;

  void prepare(const Program& program) override;
  void attach(int) override {}
  void reset() override;
  std::byte* host(int buffer) override { return address(buffer); }
  bool isAllocated(int buffer) const override;
  void fillDevice(int buffer) override;
  Comparison compareDevice(const Expectation& expectation) override;
  Comparison compareKernel(const LibraryResult& result) override;

  void issue(const Instruction& instruction, std::int32_t correlation) override;
  void beginCapture(const Instruction& instruction) override;
  void endCapture(const Instruction& instruction) override;
  void instantiate(const Instruction& instruction) override;
  void upload(const Instruction&) override {}

  /// Plain loops need no preparation.
  std::optional<CallName> makePlan(const Instruction&) override { return std::nullopt; }

  CallName allocate(const Instruction& instruction) override { return operationMemory_->allocate(instruction); }
  CallName free(const Instruction& instruction) override { return operationMemory_->free(instruction); }
  void recordStream(const Instruction& instruction) override { operationMemory_->recordStream(instruction); }
  CallName allocatePinned(int buffer) override { return operationMemory_->allocatePinned(buffer); }
  void advise(const Instruction&) override {}
  void noteMemory(int iteration) override { operationMemory_->noteReserved(iteration); }
  std::vector<MemoryReport> memory() const override { return operationMemory_->report(); }

  std::unique_ptr<copy::CopyDevice> makeCopyDevice(int device) override {
    return std::make_unique<CpuCopyDevice>(static_cast<CpuTickets&>(*this), device);
  }
  copy::StreamRef copyStream(int stream) override { return copyStreams_[static_cast<std::size_t>(stream)].get(); }
  std::uint64_t copyBudget(int device) const override { return copyBudgets_[static_cast<std::size_t>(device)]; }
  const copy::Piece* blockTable(int table) override {
    return program_->blockTables[static_cast<std::size_t>(table)].data();
  }
  void issuePart(const CopyPart& part, std::int32_t correlation) override;
  void makeCurrent(int) override {}

  void synchronizeStream(int stream) override;
  void synchronizeEvent(int event) override;
  void synchronizeDevice(int device) override;
  bool queryStream(int stream) override;
  bool queryEvent(int event) override;
  double elapsedNs(int start, int end) override;

  void beginRecording() override {}
  void beginIteration(int iteration) override;
  void endIteration() override;
  void endRecording(std::vector<DeviceRow>& rows) override;
  void recordedSoFar(std::vector<DeviceRow>& rows) const override;
  void interrupt() noexcept override;

  const char* timing() const override { return "host-clock"; }
  std::vector<std::string> notes() const override { return {}; }

 private:
  struct Graph;

  struct Command {
    const Instruction* instruction = nullptr;
    std::int32_t correlation = 0;
    /// Address of its data when it was issued.
    const std::byte* source = nullptr;
    /// The second factor of a matrix product.
    const std::byte* second = nullptr;
    std::byte* target = nullptr;
    const copy::Piece* pieces = nullptr;
    std::size_t pieceCount = 0;
    /// A recorded event that it waits for.
    Ticket event;
    /// The place in the legacy default stream that a command of a blocking stream waits for.
    Ticket behind;
    /// Places in each stream before a command of the legacy default stream; empty for other streams, of which there may
    /// be a thousand with a thousand commands each.
    std::vector<std::uint64_t> barrier;
    /// Source bytes copied at issue, as the driver does with a small pageable source.
    std::vector<std::byte> staged;
    bool isStaged = false;
    /// Graph of a launch.
    std::shared_ptr<const Graph> graph;
  };

  /// The content of a capture. Its commands run one after another, which keeps every order among them.
  struct Graph {
    std::int32_t origin = -1;
    std::vector<Command> commands;
    bool isOpen = true;
    bool isInstantiated = false;
  };

  struct Event {
    Ticket ticket;
    /// Time of reaching the latest record; 0 before.
    std::int64_t reachedNs = 0;
    /// The capture in which it was recorded last.
    std::shared_ptr<Graph> capture;
  };

  struct Queue {
    StreamKind kind = StreamKind::nonBlocking;
    std::int32_t device = 0;
    std::vector<Command> ring;
    std::uint64_t issued = 0;
    std::uint64_t completed = 0;
    std::vector<DeviceRow> rows;
    /// The active capture of this stream; null outside any.
    std::shared_ptr<Graph> capture;
    std::thread worker;
    /// Wakes this worker alone, since a thousand workers must not wake for each other's work.
    std::condition_variable wake;
  };

  Ticket latest(int stream) override;
  bool isReached(const Ticket& ticket) override;
  void wait(const Ticket& ticket) override;
  void waitIn(int stream, const Ticket& ticket) override;

  void startWorkers(const Program& program);
  void issueCopy(const Instruction& instruction, Command command);
  Ticket put(Command command);
  Ticket putLocked(std::unique_lock<std::mutex>& lock, Command command);
  bool captureLocked(const Command& command);
  void recordEvent(Command command);
  void waitEvent(Command command);
  void launch(Command command);
  void setBarrier(Command& command, const Queue& own) const;
  Command commandOf(const Instruction& instruction, std::int32_t correlation);
  void requireRecorded(const Event& event) const;
  bool isDone(const Ticket& ticket) const;
  bool isReady(const Command& command) const;
  /// Returns true if the stream has no pending work; for the legacy default stream, every blocking stream counts.
  bool isIdle(int stream) const;

  void work(int stream);
  void waitUntilReady(std::unique_lock<std::mutex>& lock, Queue& own, const Command& command);
  void execute(Queue& queue, int stream, const Command& command);
  void executeGraph(Queue& queue, int stream, const Command& launch);
  void executeWork(const Command& command);
  void executeCopy(const Command& command);
  void executeStream(const Command& command);
  void executeArithmetic(const Instruction& instruction);
  void executeMemset(const Command& command);
  std::unique_lock<std::mutex> lockEngine(const Queue& queue, const Instruction& instruction);
  DeviceRow rowOf(const Command& command, int stream) const;

  /// Throws a Failure `run.not-allocated` if the buffer has no memory.
  std::byte* address(int buffer) const;
  std::byte* at(int buffer, std::uint64_t offset) const { return address(buffer) + offset; }
  const Buffer& buffer(int index) const { return program_->buffers[static_cast<std::size_t>(index)]; }
  Queue& queue(int stream) const { return *queues_[static_cast<std::size_t>(stream)]; }

  Stop& stop_;
  const Program* program_ = nullptr;
  /// Memory of buffers that exist before the run.
  std::vector<Pages> memory_;
  std::unique_ptr<CpuMemory> source_;
  std::unique_ptr<BufferMemory> operationMemory_;
  std::vector<std::uint64_t> copyBudgets_;
  PartInstructions parts_;
  std::vector<Event> events_;
  std::vector<std::shared_ptr<Graph>> graphs_;
  std::vector<std::unique_ptr<Queue>> queues_;
  /// The streams for the copy engine.
  std::vector<copy::OwnedCopyStream> copyStreams_;
  /// Two engines for each device: host to device, device to host.
  std::vector<std::array<std::mutex, 2>> engines_;
  mutable std::mutex mutex_;
  /// Wakes host threads.
  std::condition_variable changed_;
  /// Queues whose worker waits for another one.
  std::vector<Queue*> blocked_;
  bool ending_ = false;
  int iteration_ = -1;
  /// Device rows of the iterations recorded so far.
  std::vector<DeviceRow> recorded_;
};

}  // namespace copyscope
