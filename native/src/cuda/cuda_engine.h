// The entry to the CUDA engine. Only if COPYSCOPE_WITH_CUDA is defined.
#pragma once

#include <memory>

#include "cuda/device_report.h"
#include "executor/backend.h"
#include "executor/stop.h"

namespace copyscope {

enum class Timing : int { cupti, events };

/// Never throws: the report names facts that could not be found.
DeviceReport reportDevices() noexcept;

/// Returns a backend on the calling thread. `timing` is the preferred source; CUDA events replace a missing CUPTI.
std::unique_ptr<Backend> makeCudaBackend(Stop& stop, Timing timing);

}  // namespace copyscope
