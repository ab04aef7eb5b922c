#include "recorder.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <utility>

#include "activities.h"
#include "calls.h"
#include "executor/clock.h"
#include "native_stack.h"
#include "nvtx_ranges.h"
#include "python_stack.h"
#include "threads.h"

namespace copyscope::record {
namespace {

std::int64_t nanoseconds(const std::string& milliseconds, std::int64_t otherwise = 0) {
  return milliseconds.empty() ? otherwise : static_cast<std::int64_t>(std::strtod(milliseconds.c_str(), nullptr) * 1e6);
}

/// Parses spans up to the first that doesn't follow the one before.
std::vector<StepSpan> stepSpans(const std::string& text) {
  std::vector<StepSpan> spans;
  StepSpan span{};
  int length = 0;
  for (const char* at = text.c_str(); std::sscanf(at, "%" SCNu64 "..%" SCNu64 "%n", &span.from, &span.to, &length) == 2;) {
    if (span.to < span.from || span.from <= (spans.empty() ? 0 : spans.back().to)) break;
    spans.push_back(span);
    at += length;
    if (*at == ',') ++at;
  }
  return spans;
}

/// Number of steps that are timed but not recorded, before and after the recorded ones.
constexpr std::uint64_t leastAround = 10;
constexpr std::uint64_t mostAround = 100;

/// Duration of the recording if no step comes.
constexpr std::int64_t byTimeNs = 10'000'000'000;

std::uint64_t stepsAround(const std::vector<StepSpan>& spans) {
  std::uint64_t recorded = 0;
  for (const StepSpan& span : spans) recorded += span.to - span.from + 1;
  return std::min(std::max(recorded, leastAround), mostAround);
}

/// The process's number in its job, as torchrun and its like set it; -1 without one.
int rankOfJob() {
  const char* const value = std::getenv("RANK");
  const std::string text = value == nullptr ? "" : value;
  int rank = -1;
  int length = 0;
  const bool isNumber =
      std::sscanf(text.c_str(), "%6d%n", &rank, &length) == 1 && text.size() == static_cast<std::size_t>(length);
  return isNumber && rank >= 0 ? rank : -1;
}

std::int64_t wallClockNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

Settings Settings::from(const std::function<std::string(const char* name)>& variable) {
  Settings settings;
  settings.folder = variable("COPYSCOPE_RECORD_FOLDER");
  settings.light = variable("COPYSCOPE_RECORD_LIGHT") == "1";
  settings.lines = variable("COPYSCOPE_RECORD_LINES") != "0";
  settings.delayNs = nanoseconds(variable("COPYSCOPE_RECORD_DELAY_MS"));
  settings.durationNs = nanoseconds(variable("COPYSCOPE_RECORD_DURATION_MS"));
  settings.stepRange = variable("COPYSCOPE_RECORD_STEP_RANGE");
  settings.steps = stepSpans(variable("COPYSCOPE_RECORD_STEPS"));
  settings.stepsWithinNs = nanoseconds(variable("COPYSCOPE_RECORD_STEPS_WITHIN_MS"), settings.stepsWithinNs);
  settings.blocksAfterNs = nanoseconds(variable("COPYSCOPE_RECORD_BLOCKS_AFTER_MS"), settings.blocksAfterNs);
  return settings;
}

Settings Settings::fromEnvironment() {
  return from([](const char* name) -> std::string {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
  });
}

Settings Settings::fromLines(const std::string& lines) {
  const std::string all = "\n" + lines;
  return from([&](const char* name) -> std::string {
    const std::string key = std::string("\n") + name + "=";
    const std::size_t at = all.find(key);
    if (at == std::string::npos) return "";
    const std::size_t from = at + key.size();
    return all.substr(from, all.find('\n', from) - from);
  });
}

Recorder& Recorder::instance() {
  // Never destroyed, since CUDA calls back until the process is gone.
  static auto* const recorder = new Recorder();
  return *recorder;
}

Recorder::Recorder() {
  reset(Settings::fromEnvironment());
  pthread_atfork(nullptr, nullptr, [] { Recorder::instance().forget(); });
}

void Recorder::reset(Settings settings) {
  around_ = stepsAround(settings.steps);
  allSettings_.push_back(std::make_unique<const Settings>(std::move(settings)));
  settings_.store(allSettings_.back().get(), std::memory_order_release);
  steps_ = 0;
  stepThread_ = 0;
  areStepsMarked_ = false;
  areStepsOver_ = false;
  isByTime_ = false;
  blockSteps_ = blockLeft_ = 0;
  phase_ = Phase::waiting;
}

std::string Recorder::start(Settings settings) {
  const std::lock_guard<std::mutex> lock(switching_);
  if (settings.folder.empty()) return "No folder is named.";
  if (writer() != nullptr) return "This process is being recorded already.";
  if (isForked_) return "This process was forked from one that was recorded, so that it can't use CUDA.";
  // Steps begun before the initialisation of CUDA count.
  const bool isFirst = file_ == nullptr;
  if (isFirst) {
    file_ = std::make_unique<ChunkWriter>([this] { tick(); });
    std::atexit([] { Recorder::instance().stop(); });
  }
  if (!isFirst || settings.folder != this->settings().folder) reset(std::move(settings));
  startNs_ = nowNs();
  const Settings& own = this->settings();
  char header[512];
  std::snprintf(header, sizeof header,
                "{\"format\":\"copyscope/recording\",\"version\":1,\"pid\":%d,\"parent\":%d,\"startNs\":%" PRId64
                ",\"wallClockNs\":\"%" PRId64 "\",\"cupti\":%u,\"light\":%s,\"lines\":%s,\"steps\":%s,\"rank\":%d}",
                static_cast<int>(getpid()), static_cast<int>(getppid()), startNs_, wallClockNs(),
                CuptiLibrary::instance().version(), own.light ? "true" : "false", own.lines ? "true" : "false",
                hasSpans() ? "true" : "false", rankOfJob());
  char name[128];
  std::snprintf(name, sizeof name, "/%d-%" PRId64 ".cprec", static_cast<int>(getpid()), startNs_);
  if (!file_->open(own.folder + name, header)) return "No file can be written in " + own.folder + ".";
  writer_.store(file_.get(), std::memory_order_release);
  return connect(*file_);
}

/// Called with `switching_` held.
std::string Recorder::connect(ChunkWriter& file) {
  const CuptiLibrary& cupti = CuptiLibrary::instance();
  if (!cupti.isUsable() || !cupti.canRecord()) return tellProblem(Problem::noCupti, cupti.detail());
  bool isTaken = false;
  const std::string failure = subscribe(cupti, file, isTaken);
  if (!failure.empty()) return tellProblem(isTaken ? Problem::otherSubscriber : Problem::cuptiFailed, failure);
  isSubscribed_ = true;
  const std::string unconnected = connectActivities(cupti);
  if (!unconnected.empty()) return tellProblem(Problem::cuptiFailed, unconnected);
  if (cupti.flushPeriod != nullptr) cupti.flushPeriod(200);
  return !hasSpans() && settings().delayNs == 0 ? begin() : "";
}

std::string Recorder::tellProblem(Problem problem, const std::string& reason) {
  phase_ = Phase::over;
  ChunkWriter* const file = writer();
  const std::uint32_t text = file->text(reason);
  RecordBuffer record(RecordKind::problem);
  file->append(record.u8(static_cast<std::uint8_t>(problem)).u32(text));
  if (problem == Problem::otherSubscriber) return reason + " uses CUPTI, which serves one tool of a process at a time.";
  return problem == Problem::noCupti ? "CUPTI can't be used: " + reason : reason;
}

State Recorder::state() const {
  if (writer() == nullptr) return State::none;
  const Phase phase = phase_;
  return phase == Phase::recording ? State::recording : phase == Phase::waiting ? State::waiting : State::over;
}

/// Called with `switching_` held.
std::string Recorder::begin() {
  if (phase_ != Phase::waiting) return "";
  const CuptiLibrary& cupti = CuptiLibrary::instance();
  const std::string failure = enableActivities(cupti, settings().light);
  if (!failure.empty()) return tellProblem(Problem::cuptiFailed, failure);
  enableCalls(cupti, settings().light);
  phase_ = Phase::recording;
  beganNs_ = nowNs();
  epoch_.fetch_add(1, std::memory_order_relaxed);
  isRecording_.store(true, std::memory_order_relaxed);
  RecordBuffer record(RecordKind::window);
  writer()->append(record.i64(beganNs_).u8(1));
  return "";
}

/// Called with `switching_` held.
void Recorder::end() {
  if (phase_ != Phase::recording) return;
  phase_ = hasSpans() || blockSteps_ > 0 ? Phase::waiting : Phase::over;
  isRecording_.store(false, std::memory_order_relaxed);
  epoch_.fetch_add(1, std::memory_order_relaxed);
  const CuptiLibrary& cupti = CuptiLibrary::instance();
  disableCalls(cupti);
  // Finished work gets its times while CUPTI still records: kernels of a graph's last launch, read later, ended 3 ms
  // late (CUPTI 13.0 on an H100).
  cupti.flushAll(0);
  disableActivities(cupti);
  RecordBuffer record(RecordKind::window);
  writer()->append(record.i64(nowNs()).u8(0));
}

void Recorder::tick() {
  const CuptiLibrary& cupti = CuptiLibrary::instance();
  if (!cupti.isUsable()) return;
  {
    // The lock is held only for a moment, and the next tick comes soon.
    const std::unique_lock<std::mutex> lock(switching_, std::try_to_lock);
    if (lock.owns_lock() && isSubscribed_) switchByTime(nowNs());
  }
  if (!isSubscribed_) return;
  // Activities under way at the end of recording are delivered soon after.
  flushesLeft_ = phase_ == Phase::recording ? 10 : flushesLeft_ - 1;
  if (flushesLeft_ <= 0) return;
  cupti.flushAll(0);
  makeBuffersReady();
}

/// Called with `switching_` held.
void Recorder::switchByTime(std::int64_t now) {
  if (hasSpans()) {
    if (steps_ > 0) return;
    if (phase_ == Phase::waiting && !isByTime_ && now >= startNs_ + settings().stepsWithinNs) {
      isByTime_ = true;
      begin();
    } else if (phase_ == Phase::recording && now >= beganNs_ + byTimeNs) {
      end();
    }
    return;
  }
  if (phase_ == Phase::waiting && blockSteps_ == 0 && now >= startNs_ + settings().delayNs) begin();
  if (phase_ == Phase::recording && settings().durationNs > 0 && now >= beganNs_ + settings().durationNs) end();
}

bool Recorder::onRangeBegin(bool isDefaultDomain, bool isOutermost, std::string_view name) {
  if (areStepsOver_.load(std::memory_order_relaxed) || !(hasSpans() || recordsAll())) return false;
  // Libraries such as CUB and NCCL have their own domains, whose ranges are no steps of the program.
  if (areStepsMarked_.load(std::memory_order_relaxed)) return false;
  const std::string& stepRange = settings().stepRange;
  const bool isStep = stepRange.empty() ? isDefaultDomain && isOutermost : name == stepRange;
  return isStep && beginsStep();
}

bool Recorder::onMarkedStep() {
  if (!areStepsMarked_.exchange(true)) {
    // NVTX ranges before the first marked step were no steps.
    steps_ = 0;
    stepThread_ = 0;
  }
  return !areStepsOver_.load(std::memory_order_relaxed) && (hasSpans() || recordsAll()) && beginsStep();
}

bool Recorder::beginsStep() {
  // Autograd's threads have ranges of their own besides those of the thread that makes the steps.
  const auto own = static_cast<std::int64_t>(syscall(SYS_gettid));
  std::int64_t known = 0;
  if (!stepThread_.compare_exchange_strong(known, own) && known != own) return false;
  onStepBegin(steps_.fetch_add(1) + 1);
  return true;
}

void Recorder::onStepBegin(std::uint64_t number) {
  if (number == 1 && hasSpans()) switchAt(false);
  for (const StepSpan& span : settings().steps) {
    if (number == span.from) switchAt(true);
  }
}

void Recorder::onStepEnd(std::int64_t startNs, bool wasRecording) {
  const std::int64_t endNs = nowNs();
  const std::uint64_t number = steps_.load();
  ChunkWriter* const file = writer();
  const bool isNear = !hasSpans() || number + around_ >= settings().steps.front().from;
  // A step in which recording began or ended is neither recorded nor unrecorded.
  if (file != nullptr && isSubscribed_ && isNear && wasRecording == isRecording()) {
    RecordBuffer record(RecordKind::step);
    file->append(record.i64(startNs).i64(endNs).u8(wasRecording ? 1 : 0));
  }
  if (hasSpans()) {
    endOfSpans(number);
  } else {
    endOfBlock(endNs);
  }
}

void Recorder::endOfSpans(std::uint64_t number) {
  const std::vector<StepSpan>& spans = settings().steps;
  const auto next = std::find_if(spans.begin(), spans.end(), [&](const StepSpan& span) { return span.from > number; });
  if (next != spans.begin() && number >= (next - 1)->to) switchAt(false);
  if (number < spans.back().to + around_) return;
  areStepsOver_.store(true, std::memory_order_relaxed);
  const std::lock_guard<std::mutex> lock(switching_);
  if (isSubscribed_) phase_ = Phase::over;
}

void Recorder::endOfBlock(std::int64_t endNs) {
  const std::lock_guard<std::mutex> lock(switching_);
  if (writer() == nullptr || !isSubscribed_) return;
  if (blockSteps_ == 0) {
    if (phase_ != Phase::recording || endNs < beganNs_ + settings().blocksAfterNs) return;
    blockSteps_ = std::min(std::max(steps_.load(), leastAround), mostAround);
    blockLeft_ = 1;
  }
  if (--blockLeft_ > 0) return;
  blockLeft_ = blockSteps_;
  if (phase_ == Phase::recording) {
    end();
  } else {
    begin();
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

void Recorder::finish(int (*wait)()) {
  ChunkWriter* const file = writer();
  if (file == nullptr) return;
  const CuptiLibrary& cupti = CuptiLibrary::instance();
  if (wait != nullptr) {
    {
      const std::lock_guard<std::mutex> lock(switching_);
      if (phase_ == Phase::recording) {
        isRecording_.store(false, std::memory_order_relaxed);
        epoch_.fetch_add(1, std::memory_order_relaxed);
        disableCalls(cupti);
        disableWaits(cupti);
      }
    }
    wait();
  }
  {
    const std::lock_guard<std::mutex> lock(switching_);
    end();
    phase_ = Phase::over;
    if (isSubscribed_.exchange(false)) {
      cupti.flushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
      disconnectActivities(cupti);
      unsubscribe(cupti);
    }
  }
  // Closed without the lock, since the writer's thread ends with the file and may be waiting to switch.
  closeFile(*file);
  writer_.store(nullptr, std::memory_order_release);
}

void Recorder::stop() {
  ChunkWriter* const file = writer();
  if (file == nullptr) return;
  const CuptiLibrary& cupti = CuptiLibrary::instance();
  if (isSubscribed_) cupti.flushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  isRecording_.store(false, std::memory_order_relaxed);
  closeFile(*file);
}

void Recorder::closeFile(ChunkWriter& file) {
  RecordBuffer counted(RecordKind::steps);
  file.append(counted.u64(steps_.load()));
  file.close();
}

void Recorder::forget() {
  ChunkWriter* const file = writer();
  writer_.store(nullptr, std::memory_order_release);
  isRecording_.store(false, std::memory_order_relaxed);
  countFork();
  forgetPythonStacks();
  forgetNativeStacks();
  forgetNvtxRanges();
  // Another thread may have held it at the fork.
  new (&switching_) std::mutex();
  isForked_ = file_ != nullptr;
  if (file == nullptr) return;
  // CUDA can't be used in the child of a process that has initialised it.
  phase_ = Phase::over;
  file->abandon();
}

}  // namespace copyscope::record
