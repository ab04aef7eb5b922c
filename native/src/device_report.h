// What there is to run on: devices, driver, runtime, CUPTI.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace copyscope {

struct DeviceFacts {
  int index = 0;
  std::string name;
  /// As '9.0'.
  std::string computeCapability;
  int asyncEngineCount = 0;
  int multiprocessors = 0;
  std::uint64_t memoryBytes = 0;
  std::string pciBusId;
  /// PCI Express generation and lanes in use; 0 where nothing says.
  int linkGeneration = 0;
  int linkWidth = 0;
};

struct DeviceReport {
  std::vector<DeviceFacts> devices;
  /// As CUDA counts them (13000 is 13.0); 0 where there is none.
  int driverVersion = 0;
  int runtimeVersion = 0;
  /// CUDA's error name and message where the devices can't be listed.
  std::string error;
  bool cuptiFound = false;
  /// Path of the library, or the reason why there is none.
  std::string cuptiDetail;
  std::uint32_t cuptiVersion = 0;
};

}  // namespace copyscope
