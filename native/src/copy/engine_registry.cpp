// The engines of this process: one a device, made at first use, gone with the last environment that uses the addon.
#include <map>
#include <mutex>

#include "addon_copy.h"
#include "copy_path.h"
#include "host_copy_device.h"
#ifdef COPYSCOPE_WITH_CUDA
#include "cuda_copy_device.h"
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

/// The number behind the prefix; -1 where the name has another form.
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

/// The other devices that this one has peer access with.
std::vector<int> peersOf(int index, bool isSimulated) {
  std::vector<int> peers;
#ifdef COPYSCOPE_WITH_CUDA
  if (!isSimulated) return copy::cudaPeers(index);
#endif
  if (!isSimulated) return peers;
  const auto own = engineEntry(simulatedPrefix + std::to_string(index));
  for (int other = 0; other < mostSimulatedDevices; ++other) {
    if (other == index) continue;
    const auto peer = engineEntry(simulatedPrefix + std::to_string(other));
    if (own->simulated->reaches(*peer->simulated)) peers.push_back(other);
  }
  return peers;
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

void readRelays(const Napi::Object& object, const std::string& device, copy::CopyOptions& options) {
  const Napi::Value relay = object.Get("relay");
  if (relay.IsUndefined()) return;
  const std::shared_ptr<EngineEntry> entry = engineEntry(device);
  const int own = entry->engine->device().index();
  const std::string prefix = entry->simulated == nullptr ? cudaPrefix : simulatedPrefix;
  if (own < 0) return;  // Nothing crosses a link.
  if (relay.IsString()) {
    for (const int index : peersOf(own, entry->simulated != nullptr)) options.relays.push_back(index);
  } else if (relay.IsArray()) {
    const auto list = relay.As<Napi::Array>();
    for (std::uint32_t number = 0; number < list.Length(); ++number) {
      options.relays.push_back(list.Get(number).As<Napi::Number>().Int32Value());
    }
  }
  for (const int index : options.relays) {
    if (index == own) {
      throw Failure("copy.bad-option", device + " is what the copy is for, and can't be a relay of its own.",
                    "Name other devices.", "relay");
    }
    entry->engine->addRelay(engineEntry(prefix + std::to_string(index))->engine->asRelay());
  }
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
