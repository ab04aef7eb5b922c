// Patterns over regions of every alignment.
#include <vector>

#include "check.h"
#include "executor/host_memory.h"
#include "program_builder.h"

using namespace copyscope;
using namespace copyscope::testing;

TEST("regions of every alignment hold the bytes of their content, and no others change") {
  for (std::uint64_t offset = 0; offset < 6; ++offset) {
    for (std::uint64_t length = 0; length < 14; ++length) {
      Content content = pattern(PatternKind::random, 11, streamMultiplier);
      content.offset = 1000 + offset;
      std::vector<std::byte> memory(32, std::byte{0xee});
      writeContent(memory.data() + 5, length, content);
      for (std::uint64_t at = 0; at < memory.size(); ++at) {
        const bool inside = at >= 5 && at < 5 + length;
        const auto expected = inside ? contentByte(content, at - 5) : std::uint8_t{0xee};
        CHECK(static_cast<std::uint8_t>(memory[at]) == expected);
      }
      const Comparison same = compareContent(memory.data() + 5, length, content);
      CHECK(same.checked == length && same.wrong == 0);
      if (length == 0) continue;
      memory[5 + length - 1] ^= std::byte{1};
      const Comparison changed = compareContent(memory.data() + 5, length, content);
      CHECK(changed.wrong == 1 && changed.firstWrong == length - 1);
    }
  }
}

TEST("filling and comparing in parallel agree with the plain way") {
  constexpr std::uint64_t bytes = (33u << 20) + 3;
  const Content content = pattern(PatternKind::random, 3);
  const Pages pages = allocatePages(bytes);
  fillInParallel(pages.get(), bytes, content);
  CHECK(compareContent(pages.get(), bytes, content).wrong == 0);
  pages.get()[20u << 20] ^= std::byte{0xff};
  pages.get()[bytes - 1] ^= std::byte{0xff};
  const Comparison found = compareInParallel(pages.get(), bytes, content);
  CHECK(found.checked == bytes && found.wrong == 2 && found.firstWrong == 20u << 20);
}

TEST("memory that was filled and flushed holds its content, and nothing around it changes") {
  for (const std::uint64_t bytes : {0ull, 1ull, 63ull, 64ull, 4097ull, (9ull << 20) + 5}) {
    const Content content = pattern(PatternKind::random, 3);
    std::vector<std::byte> memory(bytes + 9, std::byte{0xee});
    fillAndFlush(memory.data() + 5, bytes, content);
    CHECK(compareContent(memory.data() + 5, bytes, content).wrong == 0);
    for (std::uint64_t at = 0; at < 5; ++at) CHECK(memory[at] == std::byte{0xee});
    for (std::uint64_t at = 5 + bytes; at < memory.size(); ++at) CHECK(memory[at] == std::byte{0xee});
  }
}
