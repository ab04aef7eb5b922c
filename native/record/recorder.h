// The recording of one process: what was asked for, when it records, and its file.
#pragma once

#include <atomic>
#include <mutex>
#include <string>

#include "chunk_writer.h"
#include "cupti_library.h"

namespace copyscope::record {

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
  /// COPYSCOPE_RECORD_STEPS=20..25: counted from 1; 0 where all.
  std::uint64_t fromStep = 0;
  std::uint64_t toStep = 0;
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
  void onWait();
  /// An NVTX range begins or ends; `depth` is 0 for an outermost one.
  void onRange(bool begins, int depth, std::string_view name);

 private:
  enum class Phase { waiting, recording, over };

  Recorder();
  void tick();
  void tellProblem(Problem problem, const std::string& reason);
  bool countsWaits() const { return settings_.fromStep > 0 && settings_.stepRange.empty(); }
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
  int flushesLeft_ = 10;
  std::atomic<bool> isSubscribed_{false};
};

}  // namespace copyscope::record
