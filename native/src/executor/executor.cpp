#include "executor/executor.h"

#include <algorithm>
#include <system_error>
#include <unordered_map>

#include "executor/failure.h"
#include "executor/host_memory.h"

namespace copyscope {
namespace {

constexpr std::int64_t firstPartialNs = 500000000;

/// Returns for each buffer if a host thread writes it itself, as in copies from host to host.
std::vector<bool> writtenByHost(const Program& program) {
  std::vector<bool> found(program.buffers.size(), false);
  const auto onHost = [&](std::int32_t buffer) { return !isDevice(program.buffers[static_cast<std::size_t>(buffer)]); };
  for (const std::vector<Instruction>& instructions : program.threads) {
    for (const Instruction& one : instructions) {
      if (one.code == Code::write) found[static_cast<std::size_t>(one.src)] = true;
      const bool onHostAlone = one.code == Code::copy && onHost(one.src) && onHost(one.dst);
      if (one.code == Code::pin || onHostAlone) found[static_cast<std::size_t>(one.dst)] = true;
    }
  }
  return found;
}

std::uint64_t keyOf(std::int32_t iteration, std::int32_t correlation) {
  return static_cast<std::uint64_t>(iteration) << 32 | static_cast<std::uint32_t>(correlation);
}

/// Returns a note if an activity seems to begin before its own call, and by how much; else empty. Nothing is moved to
/// hide it.
std::string describeClockError(const std::vector<HostRow>& hostRows, const std::vector<DeviceRow>& deviceRows) {
  std::unordered_map<std::uint64_t, std::int64_t> callStarts;
  for (const HostRow& row : hostRows) {
    if (row.correlation > 0) callStarts[keyOf(row.iteration, row.correlation)] = row.startNs;
  }
  std::int64_t worst = 0;
  std::uint64_t early = 0;
  for (const DeviceRow& row : deviceRows) {
    const auto call = callStarts.find(keyOf(row.iteration, row.correlation));
    if (call == callStarts.end() || row.startNs >= call->second) continue;
    ++early;
    worst = std::max(worst, call->second - row.startNs);
  }
  if (early == 0) return "";
  return std::to_string(early) + " device activities seem to begin before their calls, by up to " +
         std::to_string((worst + 999) / 1000) + " µs: the device's clock could be brought to the host's no nearer.";
}

}  // namespace

Executor::Executor(const Program& program, Backend& backend, Stop& stop, ProgressListener progress,
                   PartialListener partial)
    : program_(program),
      backend_(backend),
      stop_(stop),
      progress_(std::move(progress)),
      partial_(std::move(partial)),
      counts_(countRows(program)),
      writtenByHost_(writtenByHost(program)),
      signals_(program, stop),
      gate_(static_cast<int>(program.threads.size())) {}

RunRecord Executor::run() {
  prepare();
  try {
    startThreads();
    iterate(Phase::warmingUp, program_.warmups);
    iterate(Phase::timing, program_.iterations);
    iterate(Phase::recording, program_.iterations);
    verify();
  } catch (...) {
    joinThreads();
    keepPartial();
    throw;
  }
  joinThreads();
  record_.timing = backend_.timing();
  record_.notes = backend_.notes();
  const std::vector<std::string>& ofCopies = multiCopies_->notes();
  record_.notes.insert(record_.notes.end(), ofCopies.begin(), ofCopies.end());
  const std::string clockError = describeClockError(record_.hostRows, record_.deviceRows);
  if (!clockError.empty()) record_.notes.push_back(clockError);
  return std::move(record_);
}

void Executor::prepare() {
  progress_(Phase::preparing, 0, 1);
  backend_.prepare(program_);
  stopIfAsked();
  multiCopies_ = std::make_unique<MultiCopies>(program_, backend_, stop_);
  stopIfAsked();
  restore(true);
  std::int32_t correlation = 1;
  for (std::size_t thread = 0; thread < program_.threads.size(); ++thread) {
    const Surroundings surroundings{program_, backend_, signals_, *multiCopies_, stop_};
    hostThreads_.push_back(std::make_unique<HostThread>(surroundings, static_cast<int>(thread),
                                                        counts_.hostRows[thread], correlation));
    correlation += static_cast<std::int32_t>(counts_.hostRows[thread]);
  }
  progress_(Phase::preparing, 1, 1);
}

void Executor::startThreads() {
  processors_ = std::make_unique<OwnProcessors>(program_.threads.size());
  try {
    for (std::size_t thread = 0; thread < program_.threads.size(); ++thread) {
      threads_.emplace_back([this, thread] { runThread(thread); });
    }
  } catch (const std::system_error& error) {
    throw Failure("engine.no-thread", std::string("The system gave no thread: ") + error.what() + ".",
                  "Use fewer host threads.", "threads");
  }
}

void Executor::joinThreads() noexcept {
  gate_.close();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

/// A failed thread still passes the gate, so that the others and the leading thread don't wait for it.
void Executor::runThread(std::size_t thread) {
  try {
    backend_.attach(static_cast<int>(thread));
  } catch (...) {
    fail(std::current_exception());
  }
  std::uint64_t round = 0;
  while (gate_.pass(round, [&] { processors_->settle(thread); })) {
    try {
      hostThreads_[thread]->run(iteration_);
    } catch (...) {
      fail(std::current_exception());
    }
    signals_.finish();
    if (gate_.isLast()) endIteration();
    gate_.arrive();
  }
}

/// The last thread notes the time, since waking the leading thread takes up to 200 us on a virtual machine.
void Executor::endIteration() noexcept {
  try {
    if (!stop_.requested()) backend_.synchronizeDevice(-1);
  } catch (...) {
    fail(std::current_exception());
  }
  endNs_ = nowNs();
}

void Executor::iterate(Phase phase, int count) {
  const bool recorded = phase == Phase::recording;
  if (recorded) {
    backend_.beginRecording();
    // The first activities after a recorder is switched on are slow, so one more iteration is run and not kept.
    restore(false);
    runOnce(false, 0);
    recordingNs_ = nowNs();
    nextPartialNs_ = recordingNs_ + firstPartialNs;
  }
  for (int iteration = 0; iteration < count; ++iteration) {
    progress_(phase, iteration, count);
    restore(false);
    const std::int64_t wall = runOnce(recorded, iteration);
    if (phase == Phase::timing) record_.plainWallNs.push_back(wall);
    if (!recorded) continue;
    record_.recordedWallNs.push_back(wall);
    if (iteration + 1 < count) offerPartial();
  }
  if (recorded) {
    record_.memory = backend_.memory();
    backend_.endRecording(record_.deviceRows);
    takeHostRows(record_);
  }
  if (count > 0) progress_(phase, count, count);
}

void Executor::takeHostRows(RunRecord& record) const {
  for (const auto& thread : hostThreads_) {
    record.hostRows.insert(record.hostRows.end(), thread->rows().begin(), thread->rows().end());
    record.elapsed.insert(record.elapsed.end(), thread->elapsed().begin(), thread->elapsed().end());
  }
}

/// After half a second, then whenever recording has lasted twice as long, so that the total cost is small.
void Executor::offerPartial() {
  const std::int64_t now = nowNs();
  if (partial_ == nullptr || now < nextPartialNs_) return;
  nextPartialNs_ = now + (now - recordingNs_);
  RunRecord soFar = record_;
  takeHostRows(soFar);
  backend_.recordedSoFar(soFar.deviceRows);
  soFar.timing = backend_.timing();
  soFar.notes = backend_.notes();
  partial_(std::move(soFar));
}

/// Keeps the data recorded before the run failed. The failed iteration has only its host rows.
void Executor::keepPartial() noexcept {
  if (record_.startsNs.empty() || !record_.hostRows.empty()) return;
  try {
    takeHostRows(record_);
    record_.timing = backend_.timing();
    record_.notes = backend_.notes();
    backend_.endRecording(record_.deviceRows);
  } catch (...) {
    // A lost device gives no more rows; the host's rows remain.
  }
}

/// Overwrites buffers made by operations before they are freed, since reused memory could already hold the right data.
void Executor::poison() {
  for (std::size_t index = 0; index < program_.buffers.size(); ++index) {
    const Buffer& buffer = program_.buffers[index];
    if (buffer.byOperation && buffer.written && backend_.isAllocated(static_cast<int>(index))) fill(index);
  }
}

/// A device writes at a fraction of its speed to memory that a processor's caches hold as modified: copies out of the
/// device took up to eight times as long. So memory that only devices write is flushed.
void Executor::fill(std::size_t index) {
  const Buffer& buffer = program_.buffers[index];
  stopIfAsked();
  if (isDevice(buffer)) return backend_.fillDevice(static_cast<int>(index));
  std::byte* const target = backend_.host(static_cast<int>(index));
  if (isPageLocked(buffer.memory) && !writtenByHost_[index]) return fillAndFlush(target, buffer.bytes, buffer.pattern);
  fillInParallel(target, buffer.bytes, buffer.pattern);
}

/// Writes the patterns of all buffers, or of those that the program writes. Outside every timed window.
void Executor::restore(bool all) {
  if (!all) {
    poison();
    multiCopies_->poison();
  }
  backend_.reset();
  for (std::size_t index = 0; index < program_.buffers.size(); ++index) {
    const Buffer& buffer = program_.buffers[index];
    if (!buffer.byOperation && (all || buffer.written)) fill(index);
  }
}

/// Runs one iteration. Returns the time from the opening of the gate to the end of a device synchronise, in
/// nanoseconds.
std::int64_t Executor::runOnce(bool recorded, int iteration) {
  stopIfAsked();
  iteration_ = recorded ? iteration : -1;
  signals_.reset();
  if (recorded) backend_.beginIteration(iteration);
  if (recorded) backend_.noteMemory(iteration);
  const std::int64_t start = gate_.open();
  if (recorded) record_.startsNs.push_back(start);
  gate_.waitForAll();
  stopIfAsked();
  if (recorded) backend_.endIteration();
  return endNs_ - start;
}

void Executor::verify() {
  const std::size_t buffers = program_.expectations.size();
  const std::size_t computed = buffers + program_.results.size();
  const int total = static_cast<int>(computed + multiCopies_->count());
  for (int index = 0; index < total; ++index) {
    progress_(Phase::verifying, index, total);
    stopIfAsked();
    const auto which = static_cast<std::size_t>(index);
    if (which < buffers) {
      verifyBuffer(program_.expectations[which]);
      continue;
    }
    if (which < computed) {
      const LibraryResult& result = program_.results[which - buffers];
      keep(backend_.compareKernel(result), result.buffer, 0);
      continue;
    }
    const auto [op, found] = multiCopies_->verify(which - computed);
    stopIfAsked();
    const std::int64_t first = found.wrong > 0 ? static_cast<std::int64_t>(found.firstWrong) : -1;
    record_.checks.push_back({-1, -1, found.checked, found.wrong, first, op});
  }
  for (const auto& thread : hostThreads_) {
    for (const ReadFindings& read : thread->findings()) {
      const auto first = read.wrong > 0 ? static_cast<std::int64_t>(read.firstWrong) : -1;
      record_.checks.push_back({read.op, read.buffer, read.checked, read.wrong, first, -1});
    }
  }
  progress_(Phase::verifying, total, total);
}

void Executor::verifyBuffer(const Expectation& expected) {
  const bool onDevice = isDevice(program_.buffers[static_cast<std::size_t>(expected.buffer)]);
  const auto compareHost = [&] {
    return compareInParallel(backend_.host(expected.buffer) + expected.offset, expected.bytes, expected.content);
  };
  const Comparison found = onDevice ? backend_.compareDevice(expected) : compareHost();
  keep(found, expected.buffer, expected.offset);
}

void Executor::keep(const Comparison& found, std::int32_t buffer, std::uint64_t offset) {
  const auto first = static_cast<std::int64_t>(offset + found.firstWrong);
  record_.checks.push_back({-1, buffer, found.checked, found.wrong, found.wrong > 0 ? first : -1, -1});
}

/// Keeps the first error, and makes everything else end.
void Executor::fail(std::exception_ptr error) noexcept {
  {
    const std::lock_guard<std::mutex> lock(errorMutex_);
    if (error_ == nullptr) error_ = std::move(error);
  }
  stop_.request();
  backend_.interrupt();
}

void Executor::stopIfAsked() {
  if (!stop_.requested()) return;
  const std::lock_guard<std::mutex> lock(errorMutex_);
  if (error_ != nullptr) std::rethrow_exception(error_);
  throw Failure("run.cancelled", "The run was cancelled.");
}

}  // namespace copyscope
