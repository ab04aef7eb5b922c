#include "copy/block_copy.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "executor/failure.h"

namespace copyscope::copy {
namespace {

/// From this size on, one call for all blocks is faster than a kernel (core/experiment/operations/blockCopy.ts).
constexpr std::uint64_t batchedBytes = 768u << 10;
/// Share of the multiprocessors for a copying kernel, as in experiments.
constexpr double kernelShare = 0.25;
/// Alignment of a block in staging memory, with which the kernel copies at full speed.
constexpr std::uint64_t packedAlignment = 16;

/// Returns the strategy of the measured point that is nearest by the ratios of bytes and number, if there are points.
BlockStrategy chosen(const BlockRequest& request, bool hasBatches) {
  if (request.direction == Direction::d2d) return BlockStrategy::kernel;
  if (!request.pinned) return BlockStrategy::packed;
  const auto count = static_cast<double>(request.blocks.size());
  double bytes = 0;
  for (const Piece& block : request.blocks) bytes += static_cast<double>(block.bytes) / count;
  BlockStrategy found = hasBatches && bytes >= double{batchedBytes} ? BlockStrategy::batch : BlockStrategy::kernel;
  double least = HUGE_VAL;
  for (std::size_t row = 0; row + 3 < request.table.size(); row += 4) {
    const double* const point = &request.table[row];
    const double away = std::fabs(std::log(bytes / point[1])) + std::fabs(std::log(count / point[2]));
    if (point[0] != static_cast<double>(request.direction) || away >= least) continue;
    least = away;
    found = static_cast<BlockStrategy>(point[3]);
  }
  return found;
}

BlockRef taken(MemoryPool& pool, std::uint64_t bytes) {
  BlockRef block = pool.take(bytes);
  if (block != nullptr) return block;
  throw Failure("run.out-of-memory", "There is no memory for " + std::to_string(bytes) + " bytes of staging or lists.",
                "Copy fewer blocks at a time, or by the strategy \"loop\".", "strategy");
}

void require(bool isRight, const char* message, const char* remedy) {
  if (!isRight) throw Failure("copy.bad-option", message, remedy, "strategy");
}

}  // namespace

template <typename Number>
void addBlocks(std::vector<Piece>& blocks, const BlockRows& rows, const Number* pairs, std::size_t count) {
  const auto row = [&](std::size_t at, std::uint64_t most, const char* side) {
    const auto number = static_cast<double>(pairs[at]);
    if (number >= 0 && number < static_cast<double>(most) && number == std::floor(number)) {
      return static_cast<std::uint64_t>(number) * rows.rowBytes;
    }
    std::ostringstream message;
    message << "blocks[" << at / 2 << "] names row " << number << " of the " << side << ", which has " << most << " rows.";
    throw Failure("copy.bad-blocks", message.str(), "Give pairs of existing rows: source, target.", "blocks");
  };
  for (std::size_t at = 0; at < 2 * count; at += 2) {
    const std::byte* const source = rows.source + row(at, rows.sourceRows, "source");
    blocks.push_back({source, rows.target + row(at + 1, rows.targetRows, "target"), rows.rowBytes});
  }
}
template void addBlocks(std::vector<Piece>&, const BlockRows&, const double*, std::size_t);
template void addBlocks(std::vector<Piece>&, const BlockRows&, const std::int64_t*, std::size_t);

BlockCopy::BlockCopy(CopyEngine& engine, BlockRequest request) : engine_(engine), request_(std::move(request)) {
  std::vector<Piece>& blocks = request_.blocks;
  engine_.device().attach();
  BlockStrategy& strategy = request_.strategy;
  if (strategy == BlockStrategy::automatic) strategy = chosen(request_, engine_.device().hasBatches());
  const bool isWithin = request_.direction == Direction::d2d;
  require(strategy != BlockStrategy::packed || !isWithin, "The strategy \"packed\" doesn't copy within a device.",
          "Use the strategy \"kernel\".");
  require(strategy != BlockStrategy::kernel || isWithin || request_.pinned,
          "The strategy \"kernel\" can't access this host memory, which is pageable.",
          "Use page-locked memory, or the strategy \"packed\".");
  const bool isPacked = strategy == BlockStrategy::packed && request_.direction == Direction::h2d;
  if (blocks.empty() || !(isPacked || strategy == BlockStrategy::kernel)) return;
  table_ = taken(engine_.pinnedMemory(), blocks.size() * sizeof(Piece));
  if (isPacked) pack();
  std::copy(blocks.begin(), blocks.end(), reinterpret_cast<Piece*>(table_->memory));
}

/// Splits each block into the host's part and the kernel's, which meet in staging memory.
void BlockCopy::pack() {
  gathered_ = request_.blocks;
  for (const Piece& block : gathered_) staged_ += roundUp(block.bytes, packedAlignment);
  onHost_ = taken(engine_.pinnedMemory(), staged_);
  onDevice_ = taken(engine_.deviceMemory(), staged_);
  std::uint64_t offset = 0;
  for (std::size_t index = 0; index < gathered_.size(); ++index) {
    gathered_[index].target = onHost_->memory + offset;
    request_.blocks[index].source = onDevice_->memory + offset;
    offset += roundUp(gathered_[index].bytes, packedAlignment);
  }
}

void BlockCopy::submit(StreamRef stream) {
  CopyDevice& device = engine_.device();
  const std::vector<Piece>& blocks = request_.blocks;
  const Direction direction = request_.direction;
  if (blocks.empty()) return;
  if (request_.strategy == BlockStrategy::batch) return device.copyBatch(blocks.data(), blocks.size(), direction, stream);
  if (request_.strategy == BlockStrategy::loop) {
    for (const Piece& block : blocks) device.copy(block.target, block.source, block.bytes, direction, stream);
    return;
  }
  if (table_ == nullptr) {
    // From a device the ring of slots does it. Blocks of different storages share no bytes between them.
    Batch batch{direction, {}, -1};
    for (const Piece& block : blocks) {
      const auto number = static_cast<std::uint32_t>(batch.transfers.size());
      batch.transfers.push_back({block.target, const_cast<std::byte*>(block.source), block.bytes, number, false, number});
    }
    return engine_.run(batch, {}, stream);
  }
  copyEach(gathered_.data(), gathered_.size());
  if (staged_ > 0) device.copy(onDevice_->memory, onHost_->memory, staged_, direction, stream);
  device.copyPieces(reinterpret_cast<const Piece*>(table_->memory), blocks.size(), stream, kernelShare);
}

}  // namespace copyscope::copy
