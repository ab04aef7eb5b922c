#include <array>

#include "cuda/cuda_calls.h"
#include "cuda/cuda_engine.h"
#include "cuda/pci_link.h"
#ifdef COPYSCOPE_WITH_CUPTI
#include "cupti/cupti_library.h"
#endif

namespace copyscope {
namespace {

DeviceFacts factsOf(int index) {
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, index), "cudaGetDeviceProperties");
  std::array<char, 32> busId{};
  check(cudaDeviceGetPCIBusId(busId.data(), static_cast<int>(busId.size()), index), "cudaDeviceGetPCIBusId");
  DeviceFacts facts;
  facts.index = index;
  facts.name = properties.name;
  facts.computeCapability = std::to_string(properties.major) + "." + std::to_string(properties.minor);
  facts.asyncEngineCount = properties.asyncEngineCount;
  facts.multiprocessors = properties.multiProcessorCount;
  facts.memoryBytes = properties.totalGlobalMem;
  facts.pciBusId = busId.data();
  const PciLink link = readPciLink(facts.pciBusId);
  facts.linkGeneration = link.generation;
  facts.linkWidth = link.width;
  return facts;
}

void listDevices(DeviceReport& report) {
  int count = 0;  // CUDA leaves it unchanged on failure.
  check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  for (int index = 0; index < count; ++index) report.devices.push_back(factsOf(index));
}

void describeCupti(DeviceReport& report) {
#ifdef COPYSCOPE_WITH_CUPTI
  const CuptiLibrary& library = CuptiLibrary::instance();
  report.cuptiFound = library.isUsable();
  report.cuptiDetail = library.detail();
  report.cuptiVersion = library.version();
#else
  report.cuptiDetail = "The addon was built without CUPTI's headers.";
#endif
}

}  // namespace

DeviceReport reportDevices() noexcept {
  DeviceReport report;
  try {
    static_cast<void>(cudaDriverGetVersion(&report.driverVersion));
    static_cast<void>(cudaRuntimeGetVersion(&report.runtimeVersion));
    describeCupti(report);
    listDevices(report);
  } catch (const std::exception& error) {
    report.error = error.what();
  }
  return report;
}

}  // namespace copyscope
