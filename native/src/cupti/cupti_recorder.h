// Device times, channels and memory kinds from CUPTI's activity records.
#pragma once

#include "cuda/device_recorder.h"
#include "cupti/cupti_library.h"

namespace copyscope {

class CuptiRecorder final : public DeviceRecorder {
 public:
  /// `library` must be usable.
  CuptiRecorder(const CuptiLibrary& library, const StreamHandles& streams);
  ~CuptiRecorder() override;

  void identify(int stream) override;
  void begin(const Counts& counts) override;
  void beginIteration() override;
  void before(int, std::size_t) override {}
  void after(int, std::size_t) override {}
  void endIteration(int iteration, const std::vector<std::vector<Issued>>& issued) override;
  void end(std::vector<DeviceRow>& rows) override;
  const char* timing() const override { return "cupti"; }
  std::vector<std::string> notes() const override { return notes_; }

 private:
  /// Operations issued in an iteration, and its time by the executor's clock.
  struct Window {
    int iteration = 0;
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
    std::vector<std::vector<Issued>> issued;
  };

  std::vector<ActivityRecord> collect();
  StreamKey keyOf(std::size_t stream) const;
  void join(const Window& window, const std::vector<ActivityRecord>& all, std::vector<DeviceRow>& rows);
  void require(CUptiResult result, const char* call) const;
  void disableAll() noexcept;
  void note(const std::string& text);

  const CuptiLibrary& library_;
  const StreamHandles& streams_;
  /// CUPTI's ids; 0 if the stream is not identified.
  std::vector<std::uint32_t> streamIds_;
  std::vector<bool> identified_;
  mutable std::mutex mutex_;
  std::vector<std::string> notes_;
  std::int64_t startNs_ = 0;
  std::vector<Window> windows_;
  bool enabled_ = false;
};

}  // namespace copyscope
