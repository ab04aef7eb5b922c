// Device times, channels and memory kinds from CUPTI's activity records.
#pragma once

#include "cupti_library.h"
#include "device_recorder.h"

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
  void endIteration(int iteration, const std::vector<std::vector<Issued>>& issued,
                    std::vector<DeviceRow>& rows) override;
  void end() override;
  const char* timing() const override { return "cupti"; }
  std::vector<std::string> notes() const override { return notes_; }

 private:
  void require(CUptiResult result, const char* call) const;
  void disableAll() noexcept;
  void note(const std::string& text);

  const CuptiLibrary& library_;
  const StreamHandles& streams_;
  /// CUPTI's ids; 0 where the stream is not identified.
  std::vector<std::uint32_t> streamIds_;
  std::vector<bool> identified_;
  mutable std::mutex mutex_;
  std::vector<std::string> notes_;
  bool enabled_ = false;
};

}  // namespace copyscope
