// The recording of one process: what was asked for, when it records, and its file.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "chunk_writer.h"
#include "cupti_library.h"

namespace copyscope::record {

struct StepSpan {
  std::uint64_t from;
  std::uint64_t to;
};

/// Read from the environment that `copyscope record` gives the program.
struct Settings {
  /// COPYSCOPE_RECORD_FOLDER: where files go. Empty: nothing is recorded.
  std::string folder;
  /// COPYSCOPE_RECORD_LIGHT=1: no kernels.
  bool light = false;
  /// COPYSCOPE_RECORD_LINES=0: no Python stacks.
  bool lines = true;
  /// COPYSCOPE_RECORD_DELAY_MS and COPYSCOPE_RECORD_DURATION_MS; 0 where not asked for.
  std::int64_t delayNs = 0;
  std::int64_t durationNs = 0;
  /// COPYSCOPE_RECORD_STEPS=20..25,40..45: counted from 1, in order; empty where all are recorded.
  std::vector<StepSpan> steps;
  /// COPYSCOPE_RECORD_STEP_RANGE: name of the NVTX range that is a step; empty: outermost ranges, or waiting calls.
  std::string stepRange;

  static Settings fromEnvironment();
};

class Recorder {
 public:
  static Recorder& instance();

  /// Called when CUDA is initialised. Opens the file and starts, or says in the file why it can't.
  void start();
  /// At the process's end.
  void stop();
  /// In a forked child.
  void forget();

  const Settings& settings() const { return settings_; }
  /// Null before the start, after the end, and where no file could be opened.
  ChunkWriter* writer() const { return writer_.load(std::memory_order_acquire); }
  bool isRecording() const { return isRecording_.load(std::memory_order_relaxed); }
  /// Counts how often recording was switched: a call that was begun before then has no end.
  std::uint32_t epoch() const { return epoch_.load(std::memory_order_relaxed); }

  /// A waiting call has ended.
  void onWait(std::int64_t endNs);
  /// An NVTX range begins; `depth` is 0 for an outermost one.
  void onRangeBegin(int depth, std::string_view name);
  /// It ends. `wasRecording`: when it had begun.
  void onRangeEnd(int depth, std::string_view name, std::int64_t startNs, bool wasRecording);

 private:
  enum class Phase { waiting, recording, over };

  Recorder();
  void tick();
  void tellProblem(Problem problem, const std::string& reason);
  bool countsSteps() const { return !settings_.steps.empty() && !areStepsOver_.load(std::memory_order_relaxed); }
  bool countsWaits() const { return countsSteps() && settings_.stepRange.empty(); }
  bool isStepRange(int depth, std::string_view name) const;
  void onStepBegin(std::uint64_t number);
  void onStepEnd(std::uint64_t number, std::int64_t startNs, std::int64_t endNs, bool wasRecording);
  void endSteps();
  void switchAt(bool on);
  void begin();
  void end();

  Settings settings_;
  std::atomic<ChunkWriter*> writer_{nullptr};
  std::atomic<bool> isRecording_{false};
  std::atomic<std::uint32_t> epoch_{0};
  std::atomic<Phase> phase_{Phase::waiting};
  std::atomic<bool> hasRanges_{false};
  std::atomic<std::uint64_t> steps_{0};
  /// Held while recording is switched.
  std::mutex switching_;
  std::int64_t startNs_ = 0;
  std::int64_t beganNs_ = 0;
  /// Only the writer's thread counts it.
  int flushesLeft_ = 0;
  /// Those that are recorded, and as many before and after them that are only timed, have been.
  std::atomic<bool> areStepsOver_{false};
  std::uint64_t around_ = 0;
  /// Of steps that end with a wait.
  std::atomic<std::int64_t> lastWaitNs_{0};
  std::atomic<bool> wasRecordingAtLastWait_{false};
  std::atomic<bool> isSubscribed_{false};
};

}  // namespace copyscope::record
