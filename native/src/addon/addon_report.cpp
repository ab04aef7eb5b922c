#include "addon/addon.h"
#include "cuda/device_report.h"
#ifdef COPYSCOPE_WITH_CUDA
#include "cuda/cuda_engine.h"
#endif

namespace copyscope::addon {
namespace {

Napi::Object toObject(Napi::Env env, const DeviceFacts& facts) {
  Napi::Object device = Napi::Object::New(env);
  device.Set("index", facts.index);
  device.Set("name", facts.name);
  device.Set("computeCapability", facts.computeCapability);
  device.Set("asyncEngineCount", facts.asyncEngineCount);
  device.Set("multiprocessors", facts.multiprocessors);
  device.Set("memoryBytes", static_cast<double>(facts.memoryBytes));
  device.Set("pciBusId", facts.pciBusId);
  device.Set("linkGeneration", facts.linkGeneration);
  device.Set("linkWidth", facts.linkWidth);
  return device;
}

DeviceReport readReport() {
#ifdef COPYSCOPE_WITH_CUDA
  return reportDevices();
#else
  DeviceReport none;
  none.cuptiDetail = "The addon was built without CUDA.";
  return none;
#endif
}

}  // namespace

Napi::Value report(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    const Napi::Env env = info.Env();
    const DeviceReport found = readReport();
    Napi::Object result = Napi::Object::New(env);
    Napi::Array devices = Napi::Array::New(env, found.devices.size());
    for (std::size_t index = 0; index < found.devices.size(); ++index) {
      devices.Set(static_cast<std::uint32_t>(index), toObject(env, found.devices[index]));
    }
#ifdef COPYSCOPE_WITH_CUDA
    result.Set("withCuda", true);
#else
    result.Set("withCuda", false);
#endif
    result.Set("devices", devices);
    result.Set("driverVersion", found.driverVersion);
    result.Set("runtimeVersion", found.runtimeVersion);
    result.Set("error", found.error);
    result.Set("cuptiFound", found.cuptiFound);
    result.Set("cuptiDetail", found.cuptiDetail);
    result.Set("cuptiVersion", found.cuptiVersion);
    return result;
  });
}

}  // namespace copyscope::addon
