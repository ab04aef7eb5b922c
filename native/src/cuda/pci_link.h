// The PCI Express link of a device, from NVIDIA's management library or from the kernel.
#pragma once

#include <string>

namespace copyscope {

/// 0 if unknown.
struct PciLink {
  int generation = 0;
  int width = 0;
};

/// `busId` as from CUDA: '0000:3B:00.0'.
PciLink readPciLink(const std::string& busId);

}  // namespace copyscope
