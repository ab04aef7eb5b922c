#include "copy/packing_plan.h"

#include <algorithm>

namespace copyscope::copy {
namespace {

constexpr std::uint32_t noChunk = noStorage;

bool isPackable(const TensorSize& tensor) {
  return tensor.contiguous && tensor.bytes > 0 && tensor.bytes <= packedTensorBytes;
}

std::uint32_t addStorage(PackingPlan& plan, std::uint64_t bytes) {
  plan.storages.push_back(bytes);
  return static_cast<std::uint32_t>(plan.storages.size() - 1);
}

}  // namespace

std::uint64_t packedAlignment(std::uint64_t minimum, std::uint32_t elementBytes) {
  const std::uint64_t element = std::max<std::uint32_t>(1, elementBytes);
  return roundUp(std::max({minimum, element, std::uint64_t{1}}), element);
}

void planPacking(const std::vector<TensorSize>& tensors, const CopyOptions& options, PackingPlan& plan) {
  plan.placements.clear();
  plan.storages.clear();
  plan.placements.reserve(tensors.size());
  const auto packable = std::count_if(tensors.begin(), tensors.end(), isPackable);
  const bool packs = options.packCpuTensors && packable >= 2;
  const std::uint64_t limit = std::max<std::uint64_t>(1, options.maxPackedChunkBytes);
  std::uint32_t chunk = noChunk;
  /// Bytes of that chunk so far; in the end its storage's size.
  std::uint64_t used = 0;
  const auto endChunk = [&] {
    if (chunk != noChunk) plan.storages[chunk] = used;
  };
  // Neighbouring tensors mostly have one type, and a division takes longer than all other work for one.
  std::uint32_t elementBytes = 1;
  std::uint64_t alignment = packedAlignment(options.minPackedAlignmentBytes, elementBytes);
  for (const TensorSize& tensor : tensors) {
    if (tensor.bytes == 0) {
      plan.placements.push_back({});
      continue;
    }
    if (!packs || !isPackable(tensor)) {
      plan.placements.push_back({addStorage(plan, tensor.bytes), 0});
      continue;
    }
    if (tensor.elementBytes != elementBytes) {
      elementBytes = tensor.elementBytes;
      alignment = packedAlignment(options.minPackedAlignmentBytes, elementBytes);
    }
    std::uint64_t offset = roundUp(used, alignment);
    if (chunk == noChunk || offset + tensor.bytes > limit) {
      endChunk();
      chunk = addStorage(plan, 0);
      offset = 0;
    }
    used = offset + tensor.bytes;
    plan.placements.push_back({chunk, offset});
  }
  endChunk();
}

}  // namespace copyscope::copy
