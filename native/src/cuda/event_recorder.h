// Device times from CUDA events around each operation, used if CUPTI is unavailable.
#pragma once

#include <map>

#include "cuda/cuda_calls.h"
#include "cuda/device_recorder.h"

namespace copyscope {

class EventRecorder final : public DeviceRecorder {
 public:
  explicit EventRecorder(const StreamHandles& streams) : streams_(streams) {}

  void identify(int) override {}
  void begin(const Counts& counts) override;
  void beginIteration() override;
  void before(int stream, std::size_t position) override;
  void after(int stream, std::size_t position) override;
  void endIteration(int iteration, const std::vector<std::vector<Issued>>& issued) override;
  void recordedSoFar(std::vector<DeviceRow>& rows) const override;
  void end(std::vector<DeviceRow>& rows) override;
  const char* timing() const override { return "cuda-events"; }
  std::vector<std::string> notes() const override;

 private:
  /// An event with a known time on the host's clock. Only events of one device can be compared.
  struct Base {
    /// A stream that the program doesn't use.
    OwnedStream service;
    OwnedEvent event;
    std::int64_t ns = 0;
    /// Uncertainty of the host's clock.
    std::int64_t uncertaintyNs = 0;
  };

  void align(Base& base);
  std::int64_t timeOf(cudaEvent_t event, const Base& base) const;

  const StreamHandles& streams_;
  /// Bases by device.
  std::map<int, Base> bases_;
  std::vector<DeviceRow> rows_;
  bool leftGraphsOut_ = false;
  /// Two events for each operation of each stream: before and after.
  std::vector<std::vector<OwnedEvent>> events_;
};

}  // namespace copyscope
