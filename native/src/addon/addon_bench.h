// The benchmarks' functions for JavaScript.
#pragma once

#include "addon/addon.h"

namespace copyscope::addon {

/// Adds benchMeasure, benchCancel, benchEnd, deviceMemory and fault to the addon's exports.
void initialiseBench(Napi::Env env, Napi::Object exports);

}  // namespace copyscope::addon
