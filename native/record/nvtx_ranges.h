// NVTX ranges of the program, from its calls of NVTX: record_function ranges too where PyTorch emits them.
#pragma once

#include <nvtx3/nvToolsExt.h>

namespace copyscope::record {

/// Puts our functions into NVTX's tables. 1 where that worked.
int takeNvtx(NvtxGetExportTableFunc_t getExportTable);

/// In the child of a fork: what the other threads were in the middle of never ends there.
void forgetNvtxRanges();

/// Ends the step that the program marked before, and begins one.
void markStep(const char* name) noexcept;
void endMarkedStep() noexcept;
/// Leaves the open step without an end.
void forgetMarkedStep() noexcept;

}  // namespace copyscope::record
