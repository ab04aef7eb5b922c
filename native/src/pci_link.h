// The PCI Express link of a device, from NVIDIA's management library or from the kernel.
#pragma once

#include <string>

namespace copyscope {

/// 0 where nothing says.
struct PciLink {
  int generation = 0;
  int width = 0;
};

/// `busId` as CUDA gives it: '0000:3B:00.0'.
PciLink readPciLink(const std::string& busId);

}  // namespace copyscope
