// The copy engine's functions for JavaScript.
#pragma once

#include <memory>
#include <string>

#include "../addon.h"
#include "copy_engine.h"

namespace copyscope::addon {

/// Adds copyMeasure and the like to the addon's exports.
void initialiseCopies(Napi::Env env, Napi::Object exports);

/// The engine of a device, made at the first call: 'cuda:0', or 'cpu-device:0' for a simulated one.
std::shared_ptr<copy::CopyEngine> copyEngine(const std::string& device);

/// Options from an object with the names of CopyOptions' fields; what is missing keeps its default.
copy::CopyOptions readCopyOptions(const Napi::Object& object);

/// Failure `native.bad-argument`.
[[noreturn]] void badCopyArgument(const std::string& name, const std::string& expected);

}  // namespace copyscope::addon
