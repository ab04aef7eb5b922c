#include "recorder.h"

#include <pthread.h>
#include <unistd.h>

#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "activities.h"
#include "calls.h"
#include "clock.h"
#include "python_stack.h"
#include "threads.h"

namespace copyscope::record {
namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::int64_t nanoseconds(const char* name) {
  return static_cast<std::int64_t>(std::strtod(variable(name).c_str(), nullptr) * 1e6);
}

std::int64_t wallClockNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

Settings Settings::fromEnvironment() {
  Settings settings;
  settings.folder = variable("COPYSCOPE_RECORD_FOLDER");
  settings.light = variable("COPYSCOPE_RECORD_LIGHT") == "1";
  settings.lines = variable("COPYSCOPE_RECORD_LINES") != "0";
  settings.delayNs = nanoseconds("COPYSCOPE_RECORD_DELAY_MS");
  settings.durationNs = nanoseconds("COPYSCOPE_RECORD_DURATION_MS");
  settings.stepRange = variable("COPYSCOPE_RECORD_STEP_RANGE");
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  const std::string steps = variable("COPYSCOPE_RECORD_STEPS");
  if (std::sscanf(steps.c_str(), "%" SCNu64 "..%" SCNu64, &from, &to) == 2 && from >= 1 && to >= from) {
    settings.fromStep = from;
    settings.toStep = to;
  }
  return settings;
}

Recorder& Recorder::instance() {
  // Never destroyed: CUDA calls back until the process is gone.
  static auto* const recorder = new Recorder();
  return *recorder;
}

Recorder::Recorder() : settings_(Settings::fromEnvironment()) {
  pthread_atfork(nullptr, nullptr, [] { Recorder::instance().forget(); });
}

void Recorder::start() {
  const std::lock_guard<std::mutex> lock(switching_);
  if (settings_.folder.empty() || writer() != nullptr || phase_ == Phase::over) return;
  startNs_ = nowNs();
  const CuptiLibrary& cupti = CuptiLibrary::instance();
  char header[512];
  std::snprintf(header, sizeof header,
                "{\"format\":\"copyscope/recording\",\"version\":1,\"pid\":%d,\"parent\":%d,\"startNs\":%" PRId64
                ",\"wallClockNs\":\"%" PRId64 "\",\"cupti\":%u,\"light\":%s,\"lines\":%s}",
                static_cast<int>(getpid()), static_cast<int>(getppid()), startNs_, wallClockNs(), cupti.version(),
                settings_.light ? "true" : "false", settings_.lines ? "true" : "false");
  char name[128];
  std::snprintf(name, sizeof name, "/%d-%" PRId64 ".cprec", static_cast<int>(getpid()), startNs_);
  auto* const writer = new (std::nothrow) ChunkWriter(settings_.folder + name, header, [this] { tick(); });
  if (writer == nullptr) return;
  if (!writer->isOpen()) {
    std::fprintf(stderr, "copyscope: nothing is recorded, since no file can be written in %s\n",
                 settings_.folder.c_str());
    delete writer;
    return;
  }
  writer_.store(writer, std::memory_order_release);
  std::atexit([] { Recorder::instance().stop(); });
  if (!cupti.isUsable() || !cupti.canRecord()) return tellProblem(Problem::noCupti, cupti.detail());
  bool isTaken = false;
  const std::string failure = subscribe(cupti, *writer, isTaken);
  if (!failure.empty()) return tellProblem(isTaken ? Problem::otherSubscriber : Problem::cuptiFailed, failure);
  isSubscribed_ = true;
  const std::string unconnected = connectActivities(cupti);
  if (!unconnected.empty()) return tellProblem(Problem::cuptiFailed, unconnected);
  if (cupti.flushPeriod != nullptr) cupti.flushPeriod(200);
  if (settings_.fromStep > 0) {
    if (countsWaits() && !hasRanges_) {
      enableCalls(cupti, settings_.light);
      disableCalls(cupti, true);
      // The first step ends with the first wait, if no range comes before.
      if (settings_.fromStep == 1) begin();
    }
  } else if (settings_.delayNs == 0) {
    begin();
  }
}

void Recorder::tellProblem(Problem problem, const std::string& reason) {
  phase_ = Phase::over;
  ChunkWriter* const file = writer();
  const std::uint32_t text = file->text(reason);
  RecordBuffer record(RecordKind::problem);
  file->append(record.u8(static_cast<std::uint8_t>(problem)).u32(text));
}

/// With `switching_` held.
void Recorder::begin() {
  if (phase_ != Phase::waiting) return;
  const CuptiLibrary& cupti = CuptiLibrary::instance();
  const std::string failure = enableActivities(cupti, settings_.light);
  if (!failure.empty()) return tellProblem(Problem::cuptiFailed, failure);
  enableCalls(cupti, settings_.light);
  phase_ = Phase::recording;
  beganNs_ = nowNs();
  epoch_.fetch_add(1, std::memory_order_relaxed);
  isRecording_.store(true, std::memory_order_relaxed);
  RecordBuffer record(RecordKind::window);
  writer()->append(record.i64(beganNs_).u8(1));
}

/// With `switching_` held.
void Recorder::end() {
  if (phase_ != Phase::recording) return;
  phase_ = Phase::over;
  isRecording_.store(false, std::memory_order_relaxed);
  epoch_.fetch_add(1, std::memory_order_relaxed);
  const CuptiLibrary& cupti = CuptiLibrary::instance();
  disableCalls(cupti, false);
  disableActivities(cupti);
  RecordBuffer record(RecordKind::window);
  writer()->append(record.i64(nowNs()).u8(0));
}

void Recorder::tick() {
  const CuptiLibrary& cupti = CuptiLibrary::instance();
  if (!cupti.isUsable()) return;
  {
    // Whoever switches holds it for a moment; the next tick comes soon.
    const std::unique_lock<std::mutex> lock(switching_, std::try_to_lock);
    if (lock.owns_lock() && settings_.fromStep == 0) {
      const std::int64_t now = nowNs();
      if (phase_ == Phase::waiting && isSubscribed_ && now >= startNs_ + settings_.delayNs) begin();
      if (phase_ == Phase::recording && settings_.durationNs > 0 && now >= beganNs_ + settings_.durationNs) end();
    }
  }
  if (phase_ == Phase::waiting || !isSubscribed_) return;
  // Of what was under way when recording ended, the last is delivered soon.
  if (phase_ == Phase::over && --flushesLeft_ < 0) return;
  cupti.flushAll(0);
}

void Recorder::onWait() {
  if (!countsWaits() || hasRanges_.load(std::memory_order_relaxed) || phase_ == Phase::over) return;
  const std::uint64_t waits = steps_.fetch_add(1) + 1;
  if (waits + 1 == settings_.fromStep) switchAt(true);
  if (waits == settings_.toStep) switchAt(false);
}

void Recorder::onRange(bool begins, int depth, std::string_view name) {
  if (settings_.fromStep == 0 || phase_ == Phase::over) return;
  const bool isStep = settings_.stepRange.empty() ? depth == 0 : name == settings_.stepRange;
  if (!isStep) return;
  // Waits that came before the first range were no steps.
  if (!hasRanges_.exchange(true)) steps_ = 0;
  if (begins) {
    if (steps_.fetch_add(1) + 1 == settings_.fromStep) switchAt(true);
  } else if (steps_.load() >= settings_.toStep) {
    switchAt(false);
  }
}

void Recorder::switchAt(bool on) {
  const std::lock_guard<std::mutex> lock(switching_);
  if (writer() == nullptr || !isSubscribed_) return;
  if (on) {
    begin();
  } else {
    end();
  }
}

void Recorder::stop() {
  ChunkWriter* const file = writer();
  if (file == nullptr) return;
  const CuptiLibrary& cupti = CuptiLibrary::instance();
  if (isSubscribed_) cupti.flushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  isRecording_.store(false, std::memory_order_relaxed);
  file->close();
}

void Recorder::forget() {
  ChunkWriter* const file = writer();
  writer_.store(nullptr, std::memory_order_release);
  isRecording_.store(false, std::memory_order_relaxed);
  countFork();
  forgetPythonStacks();
  // Another thread may have held it at the fork.
  new (&switching_) std::mutex();
  if (file == nullptr) return;
  // CUDA can't be used in the child of a process that has initialised it.
  phase_ = Phase::over;
  file->abandon();
}

}  // namespace copyscope::record
