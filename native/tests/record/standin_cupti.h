// What a program can have the stand-in for CUPTI play.
#pragma once

#include <cupti.h>

#include <cstdint>

extern "C" {
/// A call begins or ends on this thread: the subscriber's callback is called where it is enabled.
void standinCall(int begins, CUpti_CallbackDomain domain, CUpti_CallbackId id, std::uint32_t correlation,
                 const void* params, void* result);
/// An activity is done: its record goes into a buffer where its kind is enabled.
void standinActivity(const CUpti_Activity* activity, std::size_t size);
/// The clock that records are stamped with.
std::uint64_t standinNow();
}
