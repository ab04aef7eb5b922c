// NVTX ranges of the program, from its NVTX calls; with record_function ranges if PyTorch emits them.
#pragma once

#include <nvtx3/nvToolsExt.h>

namespace copyscope::record {

/// Puts our functions into NVTX's tables. Returns 1 if that worked.
int takeNvtx(NvtxGetExportTableFunc_t getExportTable);

/// Drops open ranges in a forked child, since those of other threads never end there.
void forgetNvtxRanges();

/// Ends the previous marked step, and begins one.
void markStep(const char* name) noexcept;
void endMarkedStep() noexcept;
/// Leaves the open step without an end.
void forgetMarkedStep() noexcept;

}  // namespace copyscope::record
