// Copies of blocks over the simulated device, by each strategy.
#include <cstring>
#include <vector>

#include "check.h"
#include "copy/host_copy_device.h"
#include "copy/pending_copy.h"
#include "executor/failure.h"

using namespace copyscope;
using namespace copyscope::copy;

namespace {

constexpr std::size_t rowBytes = 100;
constexpr std::size_t rows = 40;
constexpr std::byte poison{0xEE};

struct Fixture {
  Fixture() : device(new HostCopyDevice(0)), engine(new CopyEngine(std::unique_ptr<CopyDevice>(device))) {
    for (std::size_t at = 0; at < source.size(); ++at) source[at] = static_cast<std::byte>(at * 31 + (at >> 8));
    // Every other row, backwards.
    for (std::int64_t row = 0; row < std::int64_t{rows / 2}; ++row) pairs.insert(pairs.end(), {2 * row, rows - 1 - row});
  }

  BlockRequest request(Direction direction, BlockStrategy strategy) {
    BlockRequest wanted;
    wanted.direction = direction;
    wanted.strategy = strategy;
    wanted.pinned = true;
    addBlocks(wanted.blocks, {source.data(), target.data(), rowBytes, rows, rows}, pairs.data(), pairs.size() / 2);
    return wanted;
  }

  /// Returns the number of wrong bytes in the target, of blocks and between them.
  std::size_t wrong() const {
    std::vector<std::byte> expected(target.size(), poison);
    for (std::size_t pair = 0; pair < pairs.size(); pair += 2) {
      std::memcpy(&expected[static_cast<std::size_t>(pairs[pair + 1]) * rowBytes],
                  &source[static_cast<std::size_t>(pairs[pair]) * rowBytes], rowBytes);
    }
    std::size_t found = 0;
    for (std::size_t at = 0; at < target.size(); ++at) found += expected[at] != target[at] ? 1 : 0;
    return found;
  }

  HostCopyDevice* device;
  std::shared_ptr<CopyEngine> engine;
  std::vector<std::byte> source = std::vector<std::byte>(rows * rowBytes);
  std::vector<std::byte> target = std::vector<std::byte>(rows * rowBytes, poison);
  std::vector<std::int64_t> pairs;
};

std::string codeOf(Fixture& fixture, const BlockRequest& request) {
  try {
    PendingCopy(fixture.engine, fixture.engine->defaultStream()).submitBlocks(request);
  } catch (const Failure& failure) {
    return failure.code + " " + failure.field;
  }
  return "none";
}

}  // namespace

TEST("every strategy puts each byte of the blocks in its place, and no other, in each direction") {
  for (const Direction direction : {Direction::h2d, Direction::d2h, Direction::d2d}) {
    for (int strategy = 0; strategy < blockStrategyCount; ++strategy) {
      const auto by = static_cast<BlockStrategy>(strategy);
      if (direction == Direction::d2d && by == BlockStrategy::packed) continue;
      Fixture fixture;
      PendingCopy copy(fixture.engine, fixture.engine->defaultStream());
      copy.submitBlocks(fixture.request(direction, by));
      copy.wait();
      CHECK(copy.state() == CopyState::done && fixture.wrong() == 0);
      fixture.engine->trim();
      CHECK(fixture.engine->pinnedMemory().counts().usedBytes == 0);
      CHECK(fixture.device->pieceLaunches() == (by < BlockStrategy::kernel ? 0 : 1));
      if (by == BlockStrategy::loop) CHECK(fixture.device->copies() == long{rows / 2});
    }
  }
}

TEST("blocks are copied after the earlier work of their stream, and the call does not wait for it") {
  Fixture fixture;
  const StreamRef stream = fixture.engine->defaultStream();
  const std::vector<std::byte> other(rowBytes, std::byte{7});
  fixture.device->holdNext(true);
  fixture.device->copy(fixture.source.data(), other.data(), rowBytes, Direction::h2d, stream);
  PendingCopy copy(fixture.engine, stream);
  copy.submitBlocks(fixture.request(Direction::d2h, BlockStrategy::kernel));
  CHECK(copy.state() == CopyState::pending && fixture.target.back() == poison);
  fixture.device->holdNext(false);
  copy.wait();
  CHECK(fixture.target.back() == std::byte{7} && fixture.wrong() == 0);
}

TEST("auto takes the kernel for small blocks, a batch for large ones, and packs pageable memory") {
  Fixture fixture;
  const auto chosen = [&](std::uint64_t bytes, bool pinned, Direction direction, std::vector<double> table = {}) {
    BlockRequest request;
    request.direction = direction;
    request.pinned = pinned;
    request.table = std::move(table);
    request.blocks.assign(4, {fixture.source.data(), fixture.target.data(), bytes});
    return BlockCopy(*fixture.engine, request).strategy();
  };
  CHECK(chosen(4096, true, Direction::h2d) == BlockStrategy::kernel);
  CHECK(chosen(1 << 20, true, Direction::d2h) == BlockStrategy::batch);
  CHECK(chosen(4096, false, Direction::d2h) == BlockStrategy::packed);
  CHECK(chosen(4096, false, Direction::d2d) == BlockStrategy::kernel);
  // Direction, bytes, blocks, strategy. The nearest point of the direction decides.
  const std::vector<double> table = {0, 4096, 16, 0, 0, 4096, 1024, 1, 0, 65536, 16, 3, 1, 4096, 16, 2};
  CHECK(chosen(4000, true, Direction::h2d, table) == BlockStrategy::loop);
  CHECK(chosen(1 << 20, true, Direction::h2d, table) == BlockStrategy::packed);
  CHECK(chosen(1 << 20, true, Direction::d2h, table) == BlockStrategy::kernel);
}

TEST("a request that can't be made names its field") {
  Fixture fixture;
  BlockRequest pageable = fixture.request(Direction::h2d, BlockStrategy::kernel);
  pageable.pinned = false;
  CHECK(codeOf(fixture, pageable) == "copy.bad-option strategy");
  CHECK(codeOf(fixture, fixture.request(Direction::d2d, BlockStrategy::packed)) == "copy.bad-option strategy");
  for (const double row : {-1.0, 0.5, double{rows}}) {
    const double wrong[] = {0, row};
    std::vector<Piece> blocks;
    try {
      addBlocks(blocks, {fixture.source.data(), fixture.target.data(), rowBytes, rows, rows}, wrong, 1);
      CHECK(false);
    } catch (const Failure& failure) {
      CHECK(failure.code == "copy.bad-blocks" && failure.field == "blocks");
    }
  }
}

TEST("a failed copy of blocks leaves nothing in its stream, and the next one works") {
  Fixture fixture;
  fixture.device->failAfter(3);
  CHECK(codeOf(fixture, fixture.request(Direction::h2d, BlockStrategy::loop)) == "engine.cuda ");
  PendingCopy copy(fixture.engine, fixture.engine->defaultStream());
  copy.submitBlocks(fixture.request(Direction::h2d, BlockStrategy::automatic));
  copy.wait();
  CHECK(fixture.wrong() == 0);
}
