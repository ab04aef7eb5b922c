// The interface between JavaScript and the engine. No C++ exception leaves a function registered with Node.
#pragma once

#include <napi.h>

#include <exception>

#include "executor/executor.h"
#include "executor/failure.h"

namespace copyscope::addon {

/// Returns a JavaScript Error with code, remedy, field and op.
Napi::Error toError(Napi::Env env, const Failure& failure);
/// Converts any exception to a Failure.
Failure toFailure(std::exception_ptr thrown) noexcept;

/// Runs the body of a function called from JavaScript; a C++ exception becomes a JavaScript one.
template <typename Body>
Napi::Value guarded(Napi::Env env, const Body& body) {
  try {
    return body();
  } catch (const Napi::Error&) {
    throw;  // node-addon-api passes it to JavaScript.
  } catch (...) {
    throw toError(env, toFailure(std::current_exception()));
  }
}

Napi::Value report(const Napi::CallbackInfo& info);
Napi::Value start(const Napi::CallbackInfo& info);
Napi::Value cancel(const Napi::CallbackInfo& info);
Napi::Value contentBytes(const Napi::CallbackInfo& info);

/// Adds benchMeasure, benchCancel, benchEnd and fault to the addon's exports.
void initialiseBench(Napi::Env env, Napi::Object exports);

/// Returns the columns of a record, with times from the start of each row's iteration.
Napi::Object toResult(Napi::Env env, const RunRecord& record);

/// Ends and joins all runs when the environment ends.
void watchEnvironment(Napi::Env env);

}  // namespace copyscope::addon
