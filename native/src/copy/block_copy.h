// Copies of many scattered blocks between the host and a device, or within one.
#pragma once

#include <vector>

#include "copy/copy_engine.h"

namespace copyscope::copy {

/// Numbers of blockStrategies (core/experiment/operations/blockCopy.ts), which explains them.
enum class BlockStrategy : std::uint8_t { loop, batch, kernel, packed, automatic };
constexpr int blockStrategyCount = static_cast<int>(BlockStrategy::automatic) + 1;

struct BlockRequest {
  Direction direction = Direction::h2d;
  BlockStrategy strategy = BlockStrategy::automatic;
  /// True if the host side is page-locked.
  bool pinned = false;
  /// Measured points for `automatic`: direction, bytes of a block, number of blocks, fastest strategy. If there are none,
  /// a built-in rule decides.
  std::vector<double> table;
  /// Targets don't overlap.
  std::vector<Piece> blocks;
};

/// Rows of two tensors.
struct BlockRows {
  std::byte *source, *target;
  std::uint64_t rowBytes, sourceRows, targetRows;
};
/// Adds a block for each of `count` pairs: a row of the source, a row of the target. Throws a Failure
/// `copy.bad-blocks` for a row that doesn't exist.
template <typename Number>
void addBlocks(std::vector<Piece>& blocks, const BlockRows& rows, const Number* pairs, std::size_t count);

/// One copy: its tables and staging memory. It must last until the stream has passed it.
class BlockCopy {
 public:
  /// Throws a Failure if the strategy can't copy these blocks, or if there is no memory for it.
  BlockCopy(CopyEngine& engine, BlockRequest request);

  BlockStrategy strategy() const { return request_.strategy; }
  /// Puts it into the stream. By `packed` the host's work is done here: before the device's to a device, and after it
  /// from one, so that everything has arrived then.
  void submit(StreamRef stream);

 private:
  void pack();

  CopyEngine& engine_;
  BlockRequest request_;
  /// The kernel's blocks, where the device reads them.
  BlockRef table_;
  /// The host's part of packed blocks to a device, their bytes, and memory for them on both sides.
  std::vector<Piece> gathered_;
  std::uint64_t staged_ = 0;
  BlockRef onHost_;
  BlockRef onDevice_;
};

}  // namespace copyscope::copy
