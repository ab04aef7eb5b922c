// Between JavaScript and the engine. Nothing thrown in C++ leaves a function registered with Node.
#pragma once

#include <napi.h>

#include <exception>

#include "executor.h"
#include "failure.h"

namespace copyscope::addon {

/// A JavaScript Error with code, remedy, field and op.
Napi::Error toError(Napi::Env env, const Failure& failure);
/// Whatever was thrown, as a Failure.
Failure toFailure(std::exception_ptr thrown) noexcept;

/// Runs the body of a function called from JavaScript; a C++ exception becomes a JavaScript one.
template <typename Body>
Napi::Value guarded(Napi::Env env, const Body& body) {
  try {
    return body();
  } catch (const Napi::Error&) {
    throw;  // node-addon-api hands it to JavaScript.
  } catch (...) {
    throw toError(env, toFailure(std::current_exception()));
  }
}

Napi::Value report(const Napi::CallbackInfo& info);
Napi::Value start(const Napi::CallbackInfo& info);
Napi::Value cancel(const Napi::CallbackInfo& info);
Napi::Value contentBytes(const Napi::CallbackInfo& info);

/// The columns of a record, times from the start of each row's iteration.
Napi::Object toResult(Napi::Env env, const RunRecord& record);

/// Ends and joins all runs when the environment goes.
void watchEnvironment(Napi::Env env);

}  // namespace copyscope::addon
