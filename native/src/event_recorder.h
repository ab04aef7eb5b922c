// Device times from CUDA events around each operation: what is left where CUPTI can't be had.
#pragma once

#include "cuda_calls.h"
#include "device_recorder.h"

namespace copyscope {

class EventRecorder final : public DeviceRecorder {
 public:
  /// `service` is a stream that the program doesn't use.
  EventRecorder(const StreamHandles& streams, cudaStream_t service) : streams_(streams), service_(service) {}

  void identify(int) override {}
  void begin(const Counts& counts) override;
  void beginIteration() override;
  void before(int stream, std::size_t position) override;
  void after(int stream, std::size_t position) override;
  void endIteration(int iteration, const std::vector<std::vector<Issued>>& issued) override;
  void end(std::vector<DeviceRow>& rows) override;
  const char* timing() const override { return "cuda-events"; }
  std::vector<std::string> notes() const override;

 private:
  std::int64_t timeOf(cudaEvent_t event) const;

  const StreamHandles& streams_;
  cudaStream_t service_;
  OwnedEvent base_;
  /// Host clock at the base event, and how far off it may be.
  std::int64_t baseNs_ = 0;
  std::vector<DeviceRow> rows_;
  std::int64_t uncertaintyNs_ = 0;
  /// Two for each operation of each stream: before and after.
  std::vector<std::vector<OwnedEvent>> events_;
};

}  // namespace copyscope
