#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <map>
#include <mutex>

#include "cuda/cuda_calls.h"
#include "cuda/cuda_engine.h"
#include "cuda/dynamic_library.h"
#ifdef COPYSCOPE_WITH_CUPTI
#include "cupti/cupti_library.h"
#endif

namespace copyscope {
namespace {

/// PCI Express link of a device; 0 if unknown.
struct PciLink {
  int generation = 0;
  int width = 0;
};

#ifdef _WIN32
constexpr const char* nvmlName = "nvml.dll";
#else
constexpr const char* nvmlName = "libnvidia-ml.so.1";
#endif

/// The needed functions of NVML, whose header comes with the driver's kit and may be missing.
struct Nvml {
  using Device = void*;
  int (*initialise)() = nullptr;
  int (*shutDown)() = nullptr;
  int (*byBusId)(const char*, Device*) = nullptr;
  int (*generation)(Device, unsigned*) = nullptr;
  int (*width)(Device, unsigned*) = nullptr;

  bool load(const DynamicLibrary& library) {
    return library.find("nvmlInit_v2", initialise) && library.find("nvmlShutdown", shutDown) &&
           library.find("nvmlDeviceGetHandleByPciBusId_v2", byBusId) &&
           library.find("nvmlDeviceGetMaxPcieLinkGeneration", generation) &&
           library.find("nvmlDeviceGetMaxPcieLinkWidth", width);
  }
};

/// Returns the maximum of device and slot together, since an idle link may be slower until it is used.
PciLink fromNvml(const std::string& busId) {
  const DynamicLibrary library(nvmlName);
  Nvml nvml;
  if (!library.isOpen() || !nvml.load(library) || nvml.initialise() != 0) return {};
  Nvml::Device device = nullptr;
  unsigned generation = 0;
  unsigned width = 0;
  const bool known = nvml.byBusId(busId.c_str(), &device) == 0 && nvml.generation(device, &generation) == 0 &&
                     nvml.width(device, &width) == 0;
  nvml.shutDown();
  return known ? PciLink{static_cast<int>(generation), static_cast<int>(width)} : PciLink{};
}

double firstNumber(const std::string& path) {
  std::ifstream file(path);
  double value = 0;
  return file >> value ? value : 0;
}

/// Returns the generation of PCI Express for a rate in gigatransfers per second.
int generationOf(double gigatransfers) {
  const double rates[] = {2.5, 5, 8, 16, 32, 64};
  for (int generation = 1; generation <= 6; ++generation) {
    if (gigatransfers == rates[generation - 1]) return generation;
  }
  return 0;
}

PciLink fromKernel(std::string busId) {
  std::transform(busId.begin(), busId.end(), busId.begin(), [](unsigned char letter) { return std::tolower(letter); });
  const std::string folder = "/sys/bus/pci/devices/" + busId + "/";
  return {generationOf(firstNumber(folder + "current_link_speed")),
          static_cast<int>(firstNumber(folder + "current_link_width"))};
}

/// Returns what NVIDIA's management library or the kernel says. `busId` as from CUDA: '0000:3B:00.0'.
PciLink readPciLink(const std::string& busId) {
  // Cached, since opening NVML takes tens of milliseconds, and a link doesn't change.
  static std::mutex mutex;
  static std::map<std::string, PciLink> known;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto found = known.find(busId);
  if (found != known.end()) return found->second;
  const PciLink link = fromNvml(busId);
  return known[busId] = link.generation > 0 ? link : fromKernel(busId);
}

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
