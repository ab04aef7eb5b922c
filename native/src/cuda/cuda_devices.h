// The devices of a run: the limits of each, our own stream on each, and their access to each other.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cuda/cuda_calls.h"
#include "cuda/cuda_kernels.h"
#include "executor/program.h"

namespace copyscope {

struct CudaDevice {
  int ordinal = 0;
  KernelLimits limits;
  /// For filling and comparing; no program uses it.
  OwnedStream service;
  DeviceMemory comparison;
  /// Word that tells kernels to stop.
  DeviceMemory stopWord;

  int allBlocks() const { return wholeDevice(limits).blocks; }
};

class CudaDevices {
 public:
  CudaDevices() = default;
  /// Revokes the peer access that it gave.
  ~CudaDevices();
  CudaDevices(const CudaDevices&) = delete;
  CudaDevices& operator=(const CudaDevices&) = delete;

  /// Throws a Failure `engine.no-device` if a device is missing.
  void open(const Program& program);
  const CudaDevice& operator[](int device) const { return devices_[static_cast<std::size_t>(device)]; }
  /// Returns true if every device has access to the memory of every other one.
  bool reachEachOther() const {
    const std::size_t count = devices_.size();
    return given_.size() == count * (count - 1);
  }
  int count() const { return static_cast<int>(devices_.size()); }
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  void openOne(int ordinal);
  void setPeerAccess(bool wanted);
  void setPeerAccess(int from, int to, bool wanted);

  std::vector<CudaDevice> devices_;
  /// Ordinals from which, and to which, access was given.
  std::vector<std::pair<int, int>> given_;
  std::vector<std::string> notes_;
};

}  // namespace copyscope
