// The recording of one process: its settings, its times of recording, and its file.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "chunk_writer.h"
#include "cupti/cupti_library.h"

namespace copyscope::record {

struct StepSpan {
  std::uint64_t from;
  std::uint64_t to;
};

/// Read from the environment that `copyscope record` gives the program, or from lines of a program that records itself.
struct Settings {
  /// COPYSCOPE_RECORD_FOLDER: folder of the files. If empty, nothing is recorded.
  std::string folder;
  /// COPYSCOPE_RECORD_LIGHT=1: no kernels.
  bool light = false;
  /// COPYSCOPE_RECORD_LINES=0: no Python stacks.
  bool lines = true;
  /// COPYSCOPE_RECORD_DELAY_MS and COPYSCOPE_RECORD_DURATION_MS; 0 by default.
  std::int64_t delayNs = 0;
  std::int64_t durationNs = 0;
  /// COPYSCOPE_RECORD_STEPS=20..25,40..45: counted from 1, in order; empty if all are recorded.
  std::vector<StepSpan> steps;
  /// COPYSCOPE_RECORD_STEP_RANGE: name of the NVTX range that is a step; empty: outermost ranges of the default domain.
  std::string stepRange;
  /// COPYSCOPE_RECORD_STEPS_WITHIN_MS: if no step begins within this time, recording goes by time instead.
  std::int64_t stepsWithinNs = 5'000'000'000;
  /// COPYSCOPE_RECORD_BLOCKS_AFTER_MS: a recording of all steps leaves out every other block of steps from then on.
  std::int64_t blocksAfterNs = 20'000'000'000;

  /// `variable` returns the value of a name; empty if it has none.
  static Settings from(const std::function<std::string(const char* name)>& variable);
  static Settings fromEnvironment();
  /// Reads lines NAME=value.
  static Settings fromLines(const std::string& lines);
};

enum class State { none = 0, waiting = 1, recording = 2, over = 3 };

class Recorder {
 public:
  static Recorder& instance();

  /// Called when CUDA is initialised, or by the program. Opens the file and starts, or writes the reason of a failure
  /// to it. Returns the reason why nothing is recorded, or an empty text.
  std::string start(Settings settings);
  /// Ends the recording of a program that goes on. Another one can start, and CUPTI is free for other tools.
  /// `wait` waits for the device and is not recorded; null: what has not run by now gets no time.
  void finish(int (*wait)());
  State state() const;
  /// Called at the process's end.
  void stop();
  /// Called in a forked child.
  void forget();

  const Settings& settings() const { return *settings_.load(std::memory_order_acquire); }
  /// Null before the start, after the end, and if no file could be opened.
  ChunkWriter* writer() const { return writer_.load(std::memory_order_acquire); }
  bool isRecording() const { return isRecording_.load(std::memory_order_relaxed); }
  /// Number of times that recording was switched: a call begun before the last one has no end.
  std::uint32_t epoch() const { return epoch_.load(std::memory_order_relaxed); }

  /// Handles the begin of an NVTX range; `isOutermost`: no other range of the default domain is open on this thread.
  /// Returns true if it is a step, whose end onStepEnd reports.
  bool onRangeBegin(bool isDefaultDomain, bool isOutermost, std::string_view name);
  /// Lets the program mark its steps itself: from then on no NVTX range is a step. Returns as onRangeBegin does.
  bool onMarkedStep();
  /// Handles the end of a step. `wasRecording`: at its begin.
  void onStepEnd(std::int64_t startNs, bool wasRecording);

 private:
  enum class Phase { waiting, recording, over };

  Recorder();
  void reset(Settings settings);
  std::string connect(ChunkWriter& file);
  void tick();
  bool beginsStep();
  void switchByTime(std::int64_t now);
  std::string tellProblem(Problem problem, const std::string& reason);
  bool hasSpans() const { return !settings().steps.empty(); }
  /// True if neither steps nor a time were chosen.
  bool recordsAll() const { return !hasSpans() && settings().delayNs == 0 && settings().durationNs == 0; }
  void onStepBegin(std::uint64_t number);
  void endOfSpans(std::uint64_t number);
  void endOfBlock(std::int64_t endNs);
  void switchAt(bool on);
  std::string begin();
  void end();
  void closeFile(ChunkWriter& file);

  /// All settings so far. The last ones count, but threads may still read the others.
  std::vector<std::unique_ptr<const Settings>> allSettings_;
  std::atomic<const Settings*> settings_{nullptr};
  /// Lives until the process ends; null before the first start.
  std::unique_ptr<ChunkWriter> file_;
  std::atomic<ChunkWriter*> writer_{nullptr};
  std::atomic<bool> isRecording_{false};
  std::atomic<std::uint32_t> epoch_{0};
  std::atomic<Phase> phase_{Phase::waiting};
  /// Number of steps that have begun, all on one thread.
  std::atomic<std::uint64_t> steps_{0};
  /// Thread of the steps; 0 before the first.
  std::atomic<std::int64_t> stepThread_{0};
  std::atomic<bool> areStepsMarked_{false};
  /// True if no step came in time, so that recording goes by time.
  bool isByTime_ = false;
  /// Size of the blocks of steps that are recorded and left out in turn; 0 before that.
  std::uint64_t blockSteps_ = 0;
  std::uint64_t blockLeft_ = 0;
  /// Held while recording is switched.
  std::mutex switching_;
  std::int64_t startNs_ = 0;
  std::int64_t beganNs_ = 0;
  /// Only used by the writer's thread.
  int flushesLeft_ = 0;
  /// True after the recorded steps, and the same number before and after them that are only timed.
  std::atomic<bool> areStepsOver_{false};
  std::atomic<std::uint64_t> around_{0};
  std::atomic<bool> isSubscribed_{false};
  /// True in the child of a recorded process.
  bool isForked_ = false;
};

}  // namespace copyscope::record
