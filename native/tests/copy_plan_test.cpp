// Packing and transfer plans keep their promises for random batches.
#include <algorithm>
#include <random>

#include "check.h"
#include "copy/copy_engine.h"
#include "copy/packing_plan.h"
#include "copy/transfer_plan.h"

using namespace copyscope::copy;

namespace {

std::vector<TensorSize> randomTensors(std::mt19937& random) {
  std::vector<TensorSize> tensors(random() % 60);
  for (TensorSize& tensor : tensors) {
    tensor.elementBytes = 1u << random() % 5;
    const std::uint64_t elements = random() % 8 == 0 ? random() % 600000 : random() % 300;
    tensor.bytes = elements * tensor.elementBytes;
    tensor.contiguous = random() % 10 != 0;
  }
  return tensors;
}

}  // namespace

TEST("tensors are placed aligned, apart, and within the limit") {
  std::mt19937 random(7);
  PackingPlan plan;
  for (int round = 0; round < 300; ++round) {
    const std::vector<TensorSize> tensors = randomTensors(random);
    CopyOptions options;
    options.minPackedAlignmentBytes = random() % 40;
    options.maxPackedChunkBytes = random() % 5000;
    options.packCpuTensors = random() % 4 != 0;
    planPacking(tensors, options, plan);
    CHECK(plan.placements.size() == tensors.size());
    std::vector<std::uint64_t> ends(plan.storages.size());
    std::vector<int> members(plan.storages.size());
    for (std::size_t index = 0; index < tensors.size(); ++index) {
      const Placement& placement = plan.placements[index];
      CHECK((placement.storage == noStorage) == (tensors[index].bytes == 0));
      if (placement.storage == noStorage) continue;
      CHECK(placement.offset % packedAlignment(options.minPackedAlignmentBytes, tensors[index].elementBytes) == 0);
      CHECK(placement.offset >= ends[placement.storage]);
      ends[placement.storage] = placement.offset + tensors[index].bytes;
      ++members[placement.storage];
    }
    for (std::size_t storage = 0; storage < plan.storages.size(); ++storage) {
      CHECK(plan.storages[storage] == ends[storage]);
      CHECK(members[storage] == 1 || plan.storages[storage] <= std::max<std::uint64_t>(1, options.maxPackedChunkBytes));
      CHECK(members[storage] == 1 || options.packCpuTensors);
    }
  }
}

TEST("a transfer plan carries every byte once to its place, within chunks and units") {
  std::mt19937 random(11);
  std::vector<std::byte> host(1 << 20);
  for (std::byte& byte : host) byte = static_cast<std::byte>(random());
  TransferPlan plan;
  for (int round = 0; round < 300; ++round) {
    std::vector<Transfer> transfers;
    std::vector<std::uint64_t> places;
    std::uint64_t at = 0;
    std::uint64_t to = 0;
    while (at < host.size() - 20000 && transfers.size() < 40) {
      Transfer transfer;
      transfer.bytes = random() % 5 == 0 ? random() % 20000 : random() % 300;
      transfer.host = host.data() + at;
      transfer.storage = random() % 2 == 0 ? 3 : noStorage;
      places.push_back(to);
      at += transfer.bytes;
      to += transfer.bytes + (random() % 3 == 0 ? random() % 2000 : 0);
      transfers.push_back(transfer);
    }
    // Has the smallest size, since checking every byte would take most of the test's time.
    std::vector<std::byte> device(to + 1, std::byte{0});
    std::vector<std::uint8_t> covered(device.size());
    for (std::size_t index = 0; index < transfers.size(); ++index) transfers[index].device = device.data() + places[index];
    const std::uint64_t chunkBytes = 1 + random() % 9000;
    const std::uint64_t unitBytes = 1 + random() % 9000;
    planTransfers(transfers, chunkBytes, unitBytes, plan);
    std::vector<std::byte> slot(chunkBytes);
    std::size_t unit = 0;
    for (std::size_t chunk = 0; chunk < plan.chunks.size(); ++chunk) {
      CHECK(plan.chunks[chunk].bytes <= chunkBytes);
      std::uint32_t units = 0;
      std::uint32_t next = unit < plan.units.size() ? plan.units[unit].firstSegment : 0;
      for (; unit < plan.units.size() && plan.units[unit].chunk == chunk; ++unit, ++units) {
        CHECK(plan.units[unit].firstSegment == next);
        next = plan.units[unit].endSegment;
        std::uint64_t bytes = 0;
        for (std::uint32_t number = plan.units[unit].firstSegment; number < next; ++number) {
          const Segment& segment = plan.segments[number];
          CHECK(segment.slotOffset + segment.bytes <= chunkBytes);
          std::copy_n(segment.host, segment.bytes, slot.data() + segment.slotOffset);
          bytes += segment.bytes;
        }
        CHECK(bytes <= unitBytes && bytes > 0);
      }
      CHECK(units == plan.chunks[chunk].units);
      for (std::uint32_t number = plan.chunks[chunk].firstRun; number < plan.chunks[chunk].endRun; ++number) {
        const LinkRun& run = plan.runs[number];
        CHECK(run.slotOffset + run.bytes <= plan.chunks[chunk].bytes);
        std::copy_n(slot.data() + run.slotOffset, run.bytes, run.device);
        const auto first = static_cast<std::size_t>(run.device - device.data());
        for (std::uint64_t byte = 0; byte < run.bytes; ++byte) ++covered[first + byte];
      }
    }
    CHECK(unit == plan.units.size());
    for (const Transfer& transfer : transfers) {
      CHECK(std::equal(transfer.host, transfer.host + transfer.bytes, transfer.device));
    }
    CHECK(*std::max_element(covered.begin(), covered.end()) <= 1);
  }
}

TEST("neighbours of one storage go over in one run, padding included") {
  std::vector<std::byte> host(1000);
  std::vector<std::byte> device(1000);
  std::vector<Transfer> transfers;
  for (std::size_t index = 0; index < 10; ++index) {
    transfers.push_back({host.data() + index * 50, device.data() + index * 64, 50, 0});
  }
  TransferPlan plan;
  planTransfers(transfers, 4096, 4096, plan);
  CHECK(plan.runs.size() == 1 && plan.chunks.size() == 1 && plan.units.size() == 1);
  CHECK(plan.runs[0].bytes == 9 * 64 + 50);
  for (Transfer& transfer : transfers) transfer.storage = noStorage;
  planTransfers(transfers, 4096, 4096, plan);
  CHECK(plan.runs.size() == 10);
}

TEST("chosen numbers fit payload and cores, and asked ones are kept") {
  const Tuning small = chooseTuning({}, 150000, 16);
  CHECK(small.threads == 1);
  const Tuning large = chooseTuning({}, 4000000000u, 16);
  CHECK(large.threads == 8 && large.chunkBytes == large.slotBytes && large.unitBytes == large.chunkBytes);
  CHECK(large.slots * large.slotBytes <= ringBytes);
  CHECK(chooseTuning({}, 4000000000u, 2).threads == 2 && chooseTuning({}, 4000000000u, 32).threads == 8);
  CopyOptions asked;
  asked.threads = 5;
  asked.slotsPerThread = 3;
  asked.slotBytes = 4096;
  asked.chunkBytes = 1 << 20;
  const Tuning tuning = chooseTuning(asked, 4000000, 16);
  CHECK(tuning.threads == 5 && tuning.slots == 15 && tuning.slotBytes == 4096 && tuning.chunkBytes == 4096);
}

TEST("gatherings take runs of one chunk next to each other, none of them large, and number their pieces") {
  std::mt19937 random(11);
  TransferPlan plan;
  // Nothing is read or written, so that addresses far apart are enough.
  auto* const host = reinterpret_cast<std::byte*>(std::uintptr_t{1} << 40);
  auto* const device = reinterpret_cast<std::byte*>(std::uintptr_t{1} << 41);
  for (int round = 0; round < 200; ++round) {
    std::vector<Transfer> transfers(random() % 80);
    for (std::size_t index = 0; index < transfers.size(); ++index) {
      const std::uint64_t bytes = random() % 6 == 0 ? random() % 900000 : random() % 5000;
      transfers[index] = {host + (index << 21), device + (index << 21), bytes, noStorage};
    }
    planTransfers(transfers, 4096 + random() % 500000, 4096 + random() % 100000, plan);
    const std::uint32_t most = planGatherings(plan);
    std::uint32_t found = 0;
    for (const Chunk& chunk : plan.chunks) {
      std::uint32_t pieces = 0;
      std::uint32_t next = chunk.firstRun;
      for (std::uint32_t number = chunk.firstGathering; number < chunk.endGathering; ++number) {
        const Gathering& gathering = plan.gatherings[number];
        CHECK(gathering.firstRun >= next && gathering.endRun <= chunk.endRun);
        CHECK(gathering.endRun - gathering.firstRun >= leastGatheredRuns);
        CHECK(gathering.firstPiece == pieces);
        CHECK(gathering.slotOffset == plan.runs[gathering.firstRun].slotOffset);
        CHECK(gathering.slotOffset + gathering.bytes <= chunk.bytes);
        for (std::uint32_t run = gathering.firstRun; run < gathering.endRun; ++run) {
          CHECK(plan.runs[run].bytes <= mostGatheredBytes);
          pieces += static_cast<std::uint32_t>(piecesOf(plan.runs[run].bytes));
        }
        next = gathering.endRun;
      }
      CHECK(chunk.pieces == pieces);
      found = std::max(found, pieces);
    }
    CHECK(most == found);
  }
}
