#include "cuda/cuda_devices.h"

#include "cuda/device_scope.h"

namespace copyscope {

CudaDevices::~CudaDevices() {
  for (const auto& [from, to] : given_) {
    try {
      const DeviceScope scope(from);
      static_cast<void>(cudaDeviceDisablePeerAccess(to));
    } catch (const Failure&) {
      // The device is lost, and its access with it.
    }
  }
  static_cast<void>(cudaGetLastError());
}

void CudaDevices::open(const Program& program) {
  int count = 0;
  check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  for (std::size_t device = 0; device < program.devices.size(); ++device) {
    if (program.devices[device] < count) continue;
    throw Failure("engine.no-device",
                  "The experiment uses device " + std::to_string(program.devices[device]) + ", and there are " +
                      std::to_string(count) + ".",
                  "Give the device an index below that.", "devices[" + std::to_string(device) + "].index");
  }
  for (const std::int32_t ordinal : program.devices) openOne(ordinal);
  setPeerAccess(program.peerAccess);
  DeviceScope::change(devices_.front().ordinal);
}

void CudaDevices::openOne(int ordinal) {
  DeviceScope::change(ordinal);
  CudaDevice device;
  device.ordinal = ordinal;
  check(cudaFree(nullptr), "cudaFree");
  check(loadKernels(&device.limits), "loading the kernels");
  device.service = createStream(true);
  device.comparison = allocateDevice(sizeof(DeviceComparison));
  device.stopWord = allocateDevice(sizeof(int));
  check(cudaMemset(device.stopWord.get(), 0, sizeof(int)), "cudaMemset");
  devices_.push_back(std::move(device));
}

void CudaDevices::setPeerAccess(bool wanted) {
  for (const CudaDevice& from : devices_) {
    for (const CudaDevice& to : devices_) {
      if (from.ordinal != to.ordinal) setPeerAccess(from.ordinal, to.ordinal, wanted);
    }
  }
}

/// An earlier run of the process may have left another setting.
void CudaDevices::setPeerAccess(int from, int to, bool wanted) {
  const DeviceScope scope(from);
  int possible = 0;
  check(cudaDeviceCanAccessPeer(&possible, from, to), "cudaDeviceCanAccessPeer");
  if (wanted && possible == 0) {
    notes_.push_back("Device " + std::to_string(from) + " can't access the memory of device " + std::to_string(to) +
                     ": copies between them go through host memory.");
    return;
  }
  const cudaError_t result = wanted ? cudaDeviceEnablePeerAccess(to, 0) : cudaDeviceDisablePeerAccess(to);
  static_cast<void>(cudaGetLastError());
  const bool wasSo = result == cudaErrorPeerAccessAlreadyEnabled || result == cudaErrorPeerAccessNotEnabled;
  if (!wasSo) check(result, wanted ? "cudaDeviceEnablePeerAccess" : "cudaDeviceDisablePeerAccess");
  if (wanted) given_.emplace_back(from, to);
}

}  // namespace copyscope
