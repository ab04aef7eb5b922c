// The recording of one process: what was asked for, when it records, and its file.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
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

/// Read from the environment that `copyscope record` gives the program, or from the lines that a program gives itself.
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
  /// COPYSCOPE_RECORD_STEPS=20..25,40..45: counted from 1, in order; empty if all are recorded.
  std::vector<StepSpan> steps;
  /// COPYSCOPE_RECORD_STEP_RANGE: name of the NVTX range that is a step; empty: outermost ranges of the default domain.
  std::string stepRange;
  /// COPYSCOPE_RECORD_STEPS_WITHIN_MS: if no step begins within this time, a stretch of time is recorded instead.
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

  /// Called when CUDA is initialised, or by the program. Opens the file and starts, or says in the file why it can't.
  /// Returns why nothing is recorded; empty if it is.
  std::string start(Settings settings);
  /// Ends the recording of a program that goes on. Another one can start, and CUPTI is free for other tools.
  void finish();
  State state() const;
  /// At the process's end.
  void stop();
  /// In a forked child.
  void forget();

  const Settings& settings() const { return *settings_.load(std::memory_order_acquire); }
  /// Null before the start, after the end, and where no file could be opened.
  ChunkWriter* writer() const { return writer_.load(std::memory_order_acquire); }
  bool isRecording() const { return isRecording_.load(std::memory_order_relaxed); }
  /// Counts how often recording was switched: a call that was begun before then has no end.
  std::uint32_t epoch() const { return epoch_.load(std::memory_order_relaxed); }

  /// An NVTX range begins; `isOutermost`: no other range of the default domain is open on this thread. Returns whether
  /// it is a step, of which onStepEnd tells the end.
  bool onRangeBegin(bool isDefaultDomain, bool isOutermost, std::string_view name);
  /// The program marks its steps itself: from now on no NVTX range is one. Returns as onRangeBegin does.
  bool onMarkedStep();
  /// A step ends. `wasRecording`: when it began.
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
  /// Neither steps nor a time was asked for.
  bool recordsAll() const { return !hasSpans() && settings().delayNs == 0 && settings().durationNs == 0; }
  void onStepBegin(std::uint64_t number);
  void endOfSpans(std::uint64_t number);
  void endOfBlock(std::int64_t endNs);
  void switchAt(bool on);
  std::string begin();
  void end();
  void closeFile(ChunkWriter& file);

  /// The last one counts. Threads may still read the others.
  std::vector<std::unique_ptr<const Settings>> allSettings_;
  std::atomic<const Settings*> settings_{nullptr};
  /// Lives until the process ends; null before the first start.
  std::unique_ptr<ChunkWriter> file_;
  std::atomic<ChunkWriter*> writer_{nullptr};
  std::atomic<bool> isRecording_{false};
  std::atomic<std::uint32_t> epoch_{0};
  std::atomic<Phase> phase_{Phase::waiting};
  /// Steps that have begun, all on one thread.
  std::atomic<std::uint64_t> steps_{0};
  /// That thread; 0 before the first.
  std::atomic<std::int64_t> stepThread_{0};
  std::atomic<bool> areStepsMarked_{false};
  /// No step came in time, and a stretch of time is recorded, or was.
  bool isByTime_ = false;
  /// From now on blocks of this many steps are recorded and left out in turn; 0 before that.
  std::uint64_t blockSteps_ = 0;
  std::uint64_t blockLeft_ = 0;
  /// Held while recording is switched.
  std::mutex switching_;
  std::int64_t startNs_ = 0;
  std::int64_t beganNs_ = 0;
  /// Only the writer's thread counts it.
  int flushesLeft_ = 0;
  /// Those that are recorded, and as many before and after them that are only timed, have been.
  std::atomic<bool> areStepsOver_{false};
  std::atomic<std::uint64_t> around_{0};
  std::atomic<bool> isSubscribed_{false};
  /// From a process that was recorded.
  bool isForked_ = false;
};

}  // namespace copyscope::record
