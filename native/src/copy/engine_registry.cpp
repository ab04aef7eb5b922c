// The engines of this process: one a device, made at first use, gone with the last environment that uses the addon.
#include <map>
#include <mutex>

#include "addon_copy.h"
#include "host_copy_device.h"
#ifdef COPYSCOPE_WITH_CUDA
#include "cuda_copy_device.h"
#endif

namespace copyscope::addon {
namespace {

constexpr const char* simulatedPrefix = "cpu-device:";
constexpr const char* cudaPrefix = "cuda:";
constexpr int mostSimulatedDevices = 8;

std::mutex registryMutex;
std::map<std::string, std::shared_ptr<copy::CopyEngine>>& engines() {
  static std::map<std::string, std::shared_ptr<copy::CopyEngine>> all;
  return all;
}

/// The number behind the prefix; -1 where the name has another form.
int indexIn(const std::string& name, const std::string& prefix) {
  if (name.rfind(prefix, 0) != 0) return -1;
  const std::string digits = name.substr(prefix.size());
  const bool valid = !digits.empty() && digits.size() <= 3 && digits.find_first_not_of("0123456789") == std::string::npos;
  return valid ? std::stoi(digits) : -1;
}

std::unique_ptr<copy::CopyDevice> makeDevice(const std::string& name) {
  const int simulated = indexIn(name, simulatedPrefix);
  if (simulated >= 0 && simulated < mostSimulatedDevices) return std::make_unique<copy::HostCopyDevice>(simulated);
  const int cuda = indexIn(name, cudaPrefix);
  if (cuda < 0) {
    throw Failure("copy.no-device", "There is no device '" + name + "'.",
                  "Name one like cuda:0, cpu for host memory, or cpu-device:0 (to 7) for a simulated one.", "device");
  }
#ifdef COPYSCOPE_WITH_CUDA
  return copy::makeCudaCopyDevice(cuda);
#else
  throw Failure("native.no-cuda-build", "The addon was built without CUDA.",
                "Install the CUDA toolkit and run: npm run build:native", "device");
#endif
}

}  // namespace

std::shared_ptr<copy::CopyEngine> copyEngine(const std::string& device) {
  const std::lock_guard<std::mutex> lock(registryMutex);
  std::shared_ptr<copy::CopyEngine>& engine = engines()[device];
  if (engine == nullptr) {
    try {
      engine = std::make_shared<copy::CopyEngine>(makeDevice(device));
    } catch (...) {
      engines().erase(device);
      throw;
    }
  }
  return engine;
}

}  // namespace copyscope::addon
