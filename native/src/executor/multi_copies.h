// The multi-tensor copies of a program: their payloads and the engines of their devices.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "copy/multi_copy.h"
#include "executor/backend.h"
#include "executor/program_copy_device.h"
#include "executor/stop.h"

namespace copyscope {

class MultiCopies {
 public:
  /// Makes and fills the tensors. Throws a Failure `run.out-of-memory`. All references must outlive this; the devices
  /// must be idle when it is destroyed. A stop ends everything soon, including this.
  MultiCopies(const Program& program, Backend& backend, Stop& stop);
  ~MultiCopies();
  MultiCopies(const MultiCopies&) = delete;
  MultiCopies& operator=(const MultiCopies&) = delete;

  const copy::MultiCopyPlan& plan(std::int32_t plan) const { return at(plan).copies->plan(); }
  /// Copies a plan's tensors and returns when they have arrived; one plan at a time on each device.
  void run(std::int32_t plan, CopyCalls& calls);
  /// Returns true if a copy's host memory is page-locked.
  bool isPinned(std::int32_t plan, const void* memory, std::uint64_t bytes) const;

  /// Overwrites the targets. The devices must be idle.
  void poison();
  struct Found {
    std::int32_t op = -1;
    Comparison comparison;
  };
  std::size_t count() const { return uses_.size(); }
  /// Compares every byte of the targets of one of them.
  Found verify(std::size_t which);
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  struct DeviceEngine {
    ProgramCopyDevice* device = nullptr;
    std::unique_ptr<copy::CopyEngine> engine;
    std::mutex mutex;
  };
  struct Use {
    std::int32_t op = -1;
    std::int32_t stream = -1;
    DeviceEngine* on = nullptr;
    std::unique_ptr<copy::MultiCopy> copies;
  };

  const Use& at(std::int32_t plan) const { return uses_.at(plan); }
  DeviceEngine& engineOf(int device);
  copy::MultiCopyPlan planOf(std::int32_t plan, const Stream& stream);

  const Program& program_;
  Backend& backend_;
  std::map<int, std::unique_ptr<DeviceEngine>> engines_;
  /// Uses by plan.
  std::map<std::int32_t, Use> uses_;
  std::vector<std::string> notes_;
};

}  // namespace copyscope
