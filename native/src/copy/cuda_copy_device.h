// CUDA for the copy engine. Only where COPYSCOPE_WITH_CUDA is defined.
#pragma once

#include <memory>

#include "copy_device.h"

namespace copyscope::copy {

/// Number of CUDA devices; 0 where there is no driver.
int cudaDeviceCount() noexcept;

/// Throws Failure `copy.no-device` where there is none with this index.
std::unique_ptr<CopyDevice> makeCudaCopyDevice(int index);

}  // namespace copyscope::copy
