// CUDA for the copy engine. Only if COPYSCOPE_WITH_CUDA is defined.
#pragma once

#include <memory>

#include "copy/copy_device.h"

namespace copyscope::copy {

/// Returns the number of CUDA devices; 0 without a driver.
int cudaDeviceCount() noexcept;

/// Throws Failure `copy.no-device` if there is none with this index.
std::unique_ptr<CopyDevice> makeCudaCopyDevice(int index);

}  // namespace copyscope::copy
