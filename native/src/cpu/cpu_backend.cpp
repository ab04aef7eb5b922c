#include "cpu/cpu_backend.h"

#include <algorithm>
#include <system_error>

#include "executor/failure.h"
#include "executor/library_check.h"
#include "executor/memory_check.h"

namespace copyscope {
namespace {

/// Pending commands that a stream takes before its caller must wait; the depth of an H200's launch queue.
constexpr std::size_t queueDepth = 1022;

bool isBlockingKind(StreamKind kind) { return kind == StreamKind::blocking || kind == StreamKind::perThreadDefault; }

}  // namespace

CpuBackend::~CpuBackend() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ending_ = true;
  }
  for (const auto& one : queues_) one->wake.notify_all();
  for (const auto& one : queues_) {
    if (one->worker.joinable()) one->worker.join();
  }
  // Reset while the streams that it queries still exist.
  operationMemory_.reset();
}

// Set-up

void CpuBackend::prepare(const Program& program) {
  program_ = &program;
  requireHostMemory(program, true);
  PinnedShares pinned = requirePinnedMemory(program);
  copyBudgets_ = std::move(pinned.copies);
  for (const Buffer& declared : program.buffers) {
    memory_.push_back(declared.byOperation ? Pages() : allocatePages(declared.bytes));
    if (memory_.back() == nullptr && !declared.byOperation) throw outOfMemory(declared, "host");
  }
  CpuTickets& tickets = *this;
  source_ = std::make_unique<CpuMemory>(tickets, program);
  operationMemory_ = std::make_unique<BufferMemory>(program, *source_, source_->segments(), source_->hostSegments(),
                                                    pinned.operations);
  engines_ = std::vector<std::array<std::mutex, 2>>(program.devices.size());
  events_.resize(program.events.size());
  graphs_.resize(program.graphs.size());
  startWorkers(program);
}

void CpuBackend::startWorkers(const Program& program) {
  const Counts counts = countRows(program);
  for (std::size_t stream = 0; stream < program.streams.size(); ++stream) {
    auto made = std::make_unique<Queue>();
    made->kind = program.streams[stream].kind;
    made->device = program.streams[stream].device;
    made->ring.resize(queueDepth);
    if (made->kind == StreamKind::legacyDefault) {
      for (Command& command : made->ring) command.barrier.resize(program.streams.size());
    }
    made->rows.resize(counts.streamRows[stream]);
    made->rows.clear();
    queues_.push_back(std::move(made));
    copyStreams_.push_back(std::make_unique<CpuCopyStream>(static_cast<int>(stream)));
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

void CpuBackend::reset() {
  operationMemory_->freeAll();
  source_->trimPools();
  source_->freeParked();
  const std::lock_guard<std::mutex> lock(mutex_);
  for (auto& graph : graphs_) graph.reset();
  for (const auto& one : queues_) one->capture.reset();
}

std::byte* CpuBackend::address(int index) const {
  const Buffer& declared = buffer(index);
  if (!declared.byOperation) return memory_[static_cast<std::size_t>(index)].get();
  std::byte* const found = operationMemory_->address(index);
  if (found == nullptr) throw notAllocated(declared);
  return found;
}

bool CpuBackend::isAllocated(int index) const {
  return !buffer(index).byOperation || operationMemory_->address(index) != nullptr;
}

void CpuBackend::fillDevice(int index) { fillInParallel(host(index), buffer(index).bytes, buffer(index).pattern); }

Comparison CpuBackend::compareDevice(const Expectation& expectation) {
  return compareInParallel(at(expectation.buffer, expectation.offset), expectation.bytes, expectation.content);
}

Comparison CpuBackend::compareKernel(const LibraryResult& result) {
  return compareResult(program_->libraryCalls[static_cast<std::size_t>(result.call)], result, address(result.buffer));
}

// Waiting

Ticket CpuBackend::latest(int stream) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return {stream, queue(stream).issued};
}

bool CpuBackend::isReached(const Ticket& ticket) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return isDone(ticket);
}

void CpuBackend::wait(const Ticket& ticket) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] { return isDone(ticket); });
}

bool CpuBackend::isDone(const Ticket& ticket) const {
  return ticket.stream < 0 || queue(ticket.stream).completed >= ticket.number;
}

bool CpuBackend::isReady(const Command& command) const {
  if (!isDone(command.event) || !isDone(command.behind)) return false;
  for (std::size_t stream = 0; stream < command.barrier.size(); ++stream) {
    if (queues_[stream]->completed < command.barrier[stream]) return false;
  }
  return true;
}

bool CpuBackend::isIdle(int stream) const {
  const Queue& own = queue(stream);
  for (std::size_t other = 0; other < queues_.size(); ++other) {
    const Queue& one = *queues_[other];
    const bool joins = own.kind == StreamKind::legacyDefault && isBlockingKind(one.kind) && one.device == own.device;
    if ((static_cast<int>(other) == stream || joins) && one.completed < one.issued) return false;
  }
  return true;
}

void CpuBackend::synchronizeStream(int stream) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (queue(stream).capture != nullptr) throw captureForbids("A stream");
  changed_.wait(lock, [&] { return isIdle(stream); });
  lock.unlock();
  source_->trimPools();
}

void CpuBackend::synchronizeEvent(int event) {
  Ticket ticket;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    requireRecorded(events_[static_cast<std::size_t>(event)]);
    ticket = events_[static_cast<std::size_t>(event)].ticket;
  }
  wait(ticket);
  source_->trimPools();
}

void CpuBackend::synchronizeDevice(int device) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] {
    return std::all_of(queues_.begin(), queues_.end(), [device](const auto& one) {
      return (device >= 0 && one->device != device) || one->completed == one->issued;
    });
  });
  lock.unlock();
  source_->trimPools();
}

bool CpuBackend::queryStream(int stream) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (queue(stream).capture != nullptr) throw captureForbids("A stream");
  return isIdle(stream);
}

bool CpuBackend::queryEvent(int event) {
  const std::lock_guard<std::mutex> lock(mutex_);
  requireRecorded(events_[static_cast<std::size_t>(event)]);
  return isDone(events_[static_cast<std::size_t>(event)].ticket);
}

double CpuBackend::elapsedNs(int start, int end) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const int index : {start, end}) {
    const Event& event = events_[static_cast<std::size_t>(index)];
    requireRecorded(event);
    const bool isTimed = program_->events[static_cast<std::size_t>(index)];
    if (!isTimed || event.ticket.stream < 0 || !isDone(event.ticket)) throw eventNotComplete();
  }
  return static_cast<double>(events_[static_cast<std::size_t>(end)].reachedNs -
                             events_[static_cast<std::size_t>(start)].reachedNs);
}

// Recording

void CpuBackend::beginIteration(int iteration) {
  const std::lock_guard<std::mutex> lock(mutex_);
  iteration_ = iteration;
  for (const auto& one : queues_) one->rows.clear();
}

void CpuBackend::endIteration() {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& one : queues_) recorded_.insert(recorded_.end(), one->rows.begin(), one->rows.end());
}

void CpuBackend::endRecording(std::vector<DeviceRow>& rows) { recordedSoFar(rows); }

void CpuBackend::recordedSoFar(std::vector<DeviceRow>& rows) const {
  rows.insert(rows.end(), recorded_.begin(), recorded_.end());
}

void CpuBackend::interrupt() noexcept { changed_.notify_all(); }

}  // namespace copyscope
