#include "cpu_backend.h"

#include <algorithm>
#include <cstring>
#include <system_error>

#include "failure.h"
#include "memory_check.h"

namespace copyscope {
namespace {

/// Pending commands that a stream takes before its caller must wait; the figure of an H200's launch queue.
constexpr std::size_t queueDepth = 1022;
/// Copies and kernels look for a stop after each of these.
constexpr std::uint64_t sliceBytes = 4u << 20;
/// The driver takes a pageable source up to this size with the call itself.
constexpr std::uint64_t stagedBytes = 64u << 10;

bool isBlockingKind(StreamKind kind) { return kind == StreamKind::blocking || kind == StreamKind::perThreadDefault; }

}  // namespace

CpuBackend::~CpuBackend() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  for (const auto& queue : queues_) {
    if (queue->worker.joinable()) queue->worker.join();
  }
}

void CpuBackend::prepare(const Program& program) {
  program_ = &program;
  requireHostMemory(program, true);
  for (const Buffer& buffer : program.buffers) {
    memory_.push_back(allocatePages(buffer.bytes));
    if (memory_.back() == nullptr) throw outOfMemory(buffer, "host");
  }
  const Counts counts = countRows(program);
  events_.resize(program.events.size());
  for (std::size_t stream = 0; stream < program.streams.size(); ++stream) {
    auto queue = std::make_unique<Queue>();
    queue->kind = program.streams[stream].kind;
    queue->ring.resize(queueDepth);
    for (Command& command : queue->ring) command.barrier.resize(program.streams.size());
    queue->rows.resize(counts.streamRows[stream]);
    queue->rows.clear();
    queues_.push_back(std::move(queue));
  }
  try {
    for (std::size_t stream = 0; stream < queues_.size(); ++stream) {
      queues_[stream]->worker = std::thread([this, stream] { work(static_cast<int>(stream)); });
    }
  } catch (const std::system_error& error) {
    throw Failure("engine.no-thread", std::string("The system gave no thread for a stream: ") + error.what() + ".",
                  "Use fewer streams.", "streams");
  }
}

void CpuBackend::fillDevice(int index) {
  fillInParallel(host(index), buffer(index).bytes, buffer(index).pattern);
}

Comparison CpuBackend::compareDevice(const Expectation& expectation) {
  return compareInParallel(at(expectation.buffer, expectation.offset), expectation.bytes, expectation.content);
}

// Issuing

/// A pageable copy holds its caller until the driver has staged it, which ends shortly before the copy itself does. A
/// small one is taken with the call. Copies back to pageable memory return only when complete, host to host as well.
/// (CUDA Runtime API, API synchronisation behaviour)
void CpuBackend::copy(const Instruction& instruction, std::int32_t correlation) {
  const Memory src = buffer(instruction.src).memory;
  const Memory dst = buffer(instruction.dst).memory;
  const bool fromHost = src != Memory::device;
  const bool toHost = dst != Memory::device;
  const bool taken = src == Memory::pageable && !toHost && instruction.bytes <= stagedBytes;
  const bool pageable = src == Memory::pageable || dst == Memory::pageable;
  const bool onDevice = !fromHost && !toHost;
  const bool holds = (fromHost && toHost) || (pageable && !taken) || (instruction.blocking && !taken && !onDevice);
  const Ticket ticket = issue(instruction, correlation);
  if (holds) wait(ticket);
}

void CpuBackend::spin(const Instruction& instruction, std::int32_t correlation) { issue(instruction, correlation); }
void CpuBackend::stream(const Instruction& instruction, std::int32_t correlation) { issue(instruction, correlation); }

void CpuBackend::recordEvent(const Instruction& instruction, std::int32_t correlation) {
  std::unique_lock<std::mutex> lock(mutex_);
  events_[static_cast<std::size_t>(instruction.event)] = issueLocked(lock, instruction, correlation, Ticket());
}

void CpuBackend::waitEvent(const Instruction& instruction, std::int32_t correlation) {
  std::unique_lock<std::mutex> lock(mutex_);
  // The wait is for the latest record at the time of this call, whatever is recorded later.
  issueLocked(lock, instruction, correlation, events_[static_cast<std::size_t>(instruction.event)]);
}

CpuBackend::Ticket CpuBackend::issue(const Instruction& instruction, std::int32_t correlation) {
  std::unique_lock<std::mutex> lock(mutex_);
  return issueLocked(lock, instruction, correlation, Ticket());
}

CpuBackend::Ticket CpuBackend::issueLocked(std::unique_lock<std::mutex>& lock, const Instruction& instruction,
                                           std::int32_t correlation, Ticket event) {
  Queue& queue = *queues_[static_cast<std::size_t>(instruction.stream)];
  changed_.wait(lock, [&] { return queue.issued - queue.completed < queue.ring.size(); });
  Command& command = queue.ring[queue.issued % queue.ring.size()];
  command.instruction = &instruction;
  command.correlation = correlation;
  command.event = event;
  setBarrier(command, queue.kind);
  stage(command);
  ++queue.issued;
  changed_.notify_all();
  return {instruction.stream, queue.issued};
}

/// The legacy default stream waits for all earlier work in blocking streams, and later work in blocking streams waits
/// for it. Non-blocking streams take no part. (CUDA Runtime API, stream synchronisation behaviour)
void CpuBackend::setBarrier(Command& command, StreamKind kind) const {
  command.hasBarrier = kind != StreamKind::nonBlocking;
  if (!command.hasBarrier) return;
  for (std::size_t other = 0; other < queues_.size(); ++other) {
    const Queue& queue = *queues_[other];
    const bool ordered = kind == StreamKind::legacyDefault ? isBlockingKind(queue.kind)
                                                           : queue.kind == StreamKind::legacyDefault;
    command.barrier[other] = ordered ? queue.issued : 0;
  }
}

void CpuBackend::stage(Command& command) const {
  const Instruction& instruction = *command.instruction;
  command.isStaged = instruction.code == Code::copy && instruction.bytes <= stagedBytes &&
                     buffer(instruction.src).memory == Memory::pageable && isDevice(buffer(instruction.dst));
  if (!command.isStaged) return;
  const std::byte* source = at(instruction.src, instruction.srcOffset);
  command.staged.assign(source, source + instruction.bytes);
}

// Waiting

bool CpuBackend::isDone(const Ticket& ticket) const {
  return ticket.stream < 0 || queues_[static_cast<std::size_t>(ticket.stream)]->completed >= ticket.number;
}

bool CpuBackend::isReady(const Command& command) const {
  if (!isDone(command.event)) return false;
  if (!command.hasBarrier) return true;
  for (std::size_t stream = 0; stream < queues_.size(); ++stream) {
    if (queues_[stream]->completed < command.barrier[stream]) return false;
  }
  return true;
}

bool CpuBackend::isIdle(int stream) const {
  const bool legacy = queues_[static_cast<std::size_t>(stream)]->kind == StreamKind::legacyDefault;
  for (std::size_t other = 0; other < queues_.size(); ++other) {
    const Queue& queue = *queues_[other];
    const bool counts = static_cast<int>(other) == stream || (legacy && isBlockingKind(queue.kind));
    if (counts && queue.completed < queue.issued) return false;
  }
  return true;
}

void CpuBackend::wait(const Ticket& ticket) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] { return isDone(ticket); });
}

void CpuBackend::synchronizeStream(int stream) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] { return isIdle(stream); });
}

void CpuBackend::synchronizeEvent(int event) {
  Ticket ticket;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ticket = events_[static_cast<std::size_t>(event)];
  }
  wait(ticket);
}

void CpuBackend::synchronizeDevice() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] {
    return std::all_of(queues_.begin(), queues_.end(),
                       [](const auto& queue) { return queue->completed == queue->issued; });
  });
}

bool CpuBackend::queryStream(int stream) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return isIdle(stream);
}

bool CpuBackend::queryEvent(int event) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return isDone(events_[static_cast<std::size_t>(event)]);
}

// The streams' own threads

void CpuBackend::work(int stream) {
  Queue& queue = *queues_[static_cast<std::size_t>(stream)];
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return ending_ || queue.completed < queue.issued; });
    if (queue.completed == queue.issued) return;
    const Command& command = queue.ring[queue.completed % queue.ring.size()];
    changed_.wait(lock, [&] { return isReady(command); });
    lock.unlock();
    execute(queue, stream, command);
    lock.lock();
    ++queue.completed;
    changed_.notify_all();
  }
}

void CpuBackend::execute(Queue& queue, int stream, const Command& command) {
  const Instruction& instruction = *command.instruction;
  DeviceRow row = rowOf(command, stream);
  const bool isCopy = instruction.code == Code::copy;
  const bool crosses = isCopy && isDevice(buffer(instruction.src)) != isDevice(buffer(instruction.dst));
  std::unique_lock<std::mutex> engine;
  if (crosses) engine = std::unique_lock<std::mutex>(engines_[isDevice(buffer(instruction.src)) ? 1 : 0]);
  row.startNs = nowNs();
  if (isCopy) executeCopy(instruction, command);
  if (instruction.code == Code::spin) stop_.sleepUntil(row.startNs + instruction.amount);
  if (instruction.code == Code::stream) executeStream(instruction);
  const bool isMark = row.kind == RowKind::eventRecord || row.kind == RowKind::eventWait;
  row.durationNs = isMark ? 0 : nowNs() - row.startNs;
  if (command.correlation > 0) queue.rows.push_back(row);
}

void CpuBackend::executeCopy(const Instruction& instruction, const Command& command) {
  std::byte* target = at(instruction.dst, instruction.dstOffset);
  const std::byte* source = command.isStaged ? command.staged.data() : at(instruction.src, instruction.srcOffset);
  for (std::uint64_t done = 0; done < instruction.bytes && !stop_.requested(); done += sliceBytes) {
    std::memmove(target + done, source + done, std::min(sliceBytes, instruction.bytes - done));
  }
}

void CpuBackend::executeStream(const Instruction& instruction) {
  const std::byte* source = at(instruction.src, 0);
  std::byte* target = at(instruction.dst, 0);
  for (std::int64_t pass = 0; pass < instruction.amount; ++pass) {
    for (std::uint64_t from = 0; from < instruction.bytes; from += sliceBytes) {
      if (stop_.requested()) return;
      const std::uint64_t to = std::min(instruction.bytes, from + sliceBytes);
      for (std::uint64_t word = from; word < to; word += 4) {
        std::uint32_t value = 0;
        std::memcpy(&value, source + word, 4);
        value *= streamMultiplier;
        std::memcpy(target + word, &value, 4);
      }
    }
    source = target;
  }
}

DeviceRow CpuBackend::rowOf(const Command& command, int stream) const {
  const Instruction& instruction = *command.instruction;
  DeviceRow row;
  row.op = instruction.op;
  row.correlation = command.correlation;
  row.iteration = iteration_;
  row.stream = stream;
  row.bytes = instruction.bytes;
  switch (instruction.code) {
    case Code::copy:
      row.kind = RowKind::copy;
      row.src = buffer(instruction.src).memory;
      row.dst = buffer(instruction.dst).memory;
      break;
    case Code::recordEvent:
      row.kind = RowKind::eventRecord;
      break;
    case Code::waitEvent:
      row.kind = RowKind::eventWait;
      break;
    default:
      row.kind = RowKind::kernel;
  }
  return row;
}

std::byte* CpuBackend::at(int index, std::uint64_t offset) const {
  return memory_[static_cast<std::size_t>(index)].get() + offset;
}

// Recording

void CpuBackend::beginIteration(int iteration) {
  const std::lock_guard<std::mutex> lock(mutex_);
  iteration_ = iteration;
  for (const auto& queue : queues_) queue->rows.clear();
}

void CpuBackend::endIteration() {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& queue : queues_) recorded_.insert(recorded_.end(), queue->rows.begin(), queue->rows.end());
}

void CpuBackend::endRecording(std::vector<DeviceRow>& rows) { rows.insert(rows.end(), recorded_.begin(), recorded_.end()); }

void CpuBackend::interrupt() noexcept { changed_.notify_all(); }

}  // namespace copyscope
