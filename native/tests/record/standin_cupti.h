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
/// Begins and ends a call `times` times, and puts the median nanoseconds of both into `begin` and `end`. `cold` reads other
/// memory in between, as a program does that works between its calls.
void standinTimed(int times, int cold, CUpti_CallbackDomain domain, CUpti_CallbackId id, double* begin, double* end);
/// The clock that records are stamped with.
std::uint64_t standinNow();
}
