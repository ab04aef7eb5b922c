// Activity that a program lets the replacement for CUPTI play.
#pragma once

#include <cupti.h>

#include <cstdint>

extern "C" {
/// Begins or ends a call on this thread: calls the subscriber's callback if it is enabled.
void standinCall(int begins, CUpti_CallbackDomain domain, CUpti_CallbackId id, std::uint32_t correlation,
                 const void* params, void* result);
/// Ends an activity: its record goes into a buffer if its kind is enabled.
void standinActivity(const CUpti_Activity* activity, std::size_t size);
/// Returns the clock that stamps records.
std::uint64_t standinNow();
}
