// NVTX ranges of the program, from its calls of NVTX: record_function ranges too where PyTorch emits them.
#pragma once

#include <nvtx3/nvToolsExt.h>

namespace copyscope::record {

/// Puts our functions into NVTX's tables. 1 where that worked.
int takeNvtx(NvtxGetExportTableFunc_t getExportTable);

}  // namespace copyscope::record
