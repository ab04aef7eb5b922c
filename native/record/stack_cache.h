// Known stacks, by the addresses of their frames.
#pragma once

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <vector>

#include "frame_layout.h"

namespace copyscope::record {

class StackCache {
 public:
  /// Returns 0 if the stack is unknown.
  std::uint32_t find(const RawFrame* frames, std::size_t count) const {
    const auto found = stacks_.find(hashOf(frames, count));
    if (found == stacks_.end()) return 0;
    const Stack& stack = found->second;
    return stack.count == count && std::equal(frames, frames + count, stack.frames) ? stack.number : 0;
  }

  /// Codes of its frames must stay valid. Keeps nothing if there is no more room, or another stack has the place.
  void keep(const RawFrame* frames, std::size_t count, std::uint32_t number) {
    if (left_ < count) {
      if (blocks_.size() >= mostBlocks) return;
      blocks_.push_back(std::make_unique<RawFrame[]>(blockFrames));
      left_ = blockFrames;
    }
    RawFrame* const kept = blocks_.back().get() + (blockFrames - left_);
    if (!stacks_.emplace(hashOf(frames, count), Stack{kept, count, number}).second) return;
    std::copy(frames, frames + count, kept);
    left_ -= count;
  }

 private:
  struct Stack {
    const RawFrame* frames;
    std::size_t count;
    std::uint32_t number;
  };
  struct AsItIs {
    std::size_t operator()(std::uint64_t hash) const { return hash; }
  };

  static std::uint64_t hashOf(const RawFrame* frames, std::size_t count) {
    std::uint64_t hash = count;
    for (std::size_t index = 0; index < count; ++index) {
      hash = (hash ^ frames[index].code) * 0x9e3779b97f4a7c15u;
      hash = (hash ^ (hash >> 29) ^ frames[index].instruction) * 0xbf58476d1ce4e5b9u;
    }
    return hash ^ (hash >> 32);
  }

  /// 1 MiB each, 32 MiB in all.
  static constexpr std::size_t blockFrames = 65'536;
  static constexpr std::size_t mostBlocks = 32;

  std::unordered_map<std::uint64_t, Stack, AsItIs> stacks_;
  std::vector<std::unique_ptr<RawFrame[]>> blocks_;
  std::size_t left_ = 0;
};

}  // namespace copyscope::record
