// The door to the CUDA engine. Only where COPYSCOPE_WITH_CUDA is defined.
#pragma once

#include <memory>

#include "backend.h"
#include "device_report.h"
#include "stop.h"

namespace copyscope {

enum class Timing : int { cupti, events };

/// Never throws: what can't be found out is said in the report.
DeviceReport reportDevices() noexcept;

/// A backend on the calling thread. `timing` is what to use; CUDA events take over where CUPTI can't be had.
std::unique_ptr<Backend> makeCudaBackend(Stop& stop, Timing timing);

}  // namespace copyscope
