// The place of each tensor of a batch on the device, by the rules of ACCV-Lab's multi-tensor copier.
#pragma once

#include <cstdint>
#include <vector>

#include "copy/copy_options.h"

namespace copyscope::copy {

struct TensorSize {
  std::uint64_t bytes = 0;
  std::uint32_t elementBytes = 1;
  /// Only contiguous tensors are packed.
  bool contiguous = true;
};

struct Placement {
  /// Index of the allocation; noStorage for an empty tensor.
  std::uint32_t storage = noStorage;
  std::uint64_t offset = 0;
};

struct PackingPlan {
  std::vector<Placement> placements;
  /// Bytes of each allocation.
  std::vector<std::uint64_t> storages;
};

/// Returns the alignment of a packed tensor: at least `minimum`, and a multiple of its element's size.
std::uint64_t packedAlignment(std::uint64_t minimum, std::uint32_t elementBytes);

/// Packs two or more contiguous tensors of at most packedTensorBytes into allocations of at most maxPackedChunkBytes,
/// in order; a tensor above that limit, and every other one, gets its own allocation. Reuses the plan's memory.
void planPacking(const std::vector<TensorSize>& tensors, const CopyOptions& options, PackingPlan& plan);

}  // namespace copyscope::copy
