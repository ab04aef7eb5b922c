// The devices, driver, runtime and CUPTI of this machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace copyscope {

struct DeviceFacts {
  int index = 0;
  std::string name;
  /// Such as '9.0'.
  std::string computeCapability;
  int asyncEngineCount = 0;
  int multiprocessors = 0;
  std::uint64_t memoryBytes = 0;
  std::string pciBusId;
  /// PCI Express generation and lanes in use; 0 if unknown.
  int linkGeneration = 0;
  int linkWidth = 0;
};

struct DeviceReport {
  std::vector<DeviceFacts> devices;
  /// CUDA's version numbers (13000 is 13.0); 0 if there is none.
  int driverVersion = 0;
  int runtimeVersion = 0;
  /// CUDA's error name and message if the devices can't be listed.
  std::string error;
  bool cuptiFound = false;
  /// Path of the library, or the reason why there is none.
  std::string cuptiDetail;
  std::uint32_t cuptiVersion = 0;
};

}  // namespace copyscope
