// The engines of this process: one per device, made at the first use, deleted with the last environment that uses it.
#include <map>
#include <mutex>

#include "addon/addon_copy.h"
#include "copy/host_copy_device.h"
#ifdef COPYSCOPE_WITH_CUDA
#include "cuda/cuda_copy_device.h"
#endif

namespace copyscope::addon {
namespace {

constexpr const char* simulatedPrefix = "cpu-device:";
constexpr const char* cudaPrefix = "cuda:";
constexpr int mostSimulatedDevices = 8;

constexpr const char* hostName = "cpu";
constexpr int hostIndex = -1;

struct Registry {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<EngineEntry>> entries;
  int environments = 0;
};

Registry& registry() {
  static Registry only;
  return only;
}

/// Returns the number after the prefix; -1 if the name has another form.
int indexIn(const std::string& name, const std::string& prefix) {
  if (name.rfind(prefix, 0) != 0) return -1;
  const std::string digits = name.substr(prefix.size());
  const bool onlyDigits = digits.find_first_not_of("0123456789") == std::string::npos;
  return onlyDigits && !digits.empty() && digits.size() <= 3 ? std::stoi(digits) : -1;
}

std::unique_ptr<copy::CopyDevice> makeDevice(const std::string& name, copy::HostCopyDevice*& simulation) {
  const int simulated = name == hostName ? hostIndex : indexIn(name, simulatedPrefix);
  if (name == hostName || (simulated >= 0 && simulated < mostSimulatedDevices)) {
    auto device = std::make_unique<copy::HostCopyDevice>(simulated);
    simulation = device.get();
    return device;
  }
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

std::shared_ptr<EngineEntry> engineEntry(const std::string& device) {
  Registry& all = registry();
  const std::lock_guard<std::mutex> lock(all.mutex);
  const auto found = all.entries.find(device);
  if (found != all.entries.end()) return found->second;
  auto entry = std::make_shared<EngineEntry>();
  const copy::Budget budgetFor = device == hostName ? copy::Budget::kept : copy::Budget::held;
  entry->engine = std::make_shared<copy::CopyEngine>(makeDevice(device, entry->simulated), 0, budgetFor);
  all.entries[device] = entry;
  return entry;
}

void enterEngines() {
  Registry& all = registry();
  const std::lock_guard<std::mutex> lock(all.mutex);
  ++all.environments;
}

void leaveEngines() noexcept {
  Registry& all = registry();
  std::map<std::string, std::shared_ptr<EngineEntry>> gone;
  const std::lock_guard<std::mutex> lock(all.mutex);
  if (--all.environments == 0) gone.swap(all.entries);
}

}  // namespace copyscope::addon
