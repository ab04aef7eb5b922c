// One record, assembled on the stack of the recording thread.
#pragma once

#include <array>
#include <cstring>
#include <string_view>

#include "format.h"

namespace copyscope::record {

class RecordBuffer {
 public:
  explicit RecordBuffer(RecordKind kind) : kind_(kind) {
    bytes_[0] = static_cast<std::uint8_t>(kind);
    bytes_[1] = 0;
  }

  RecordBuffer& u8(std::uint8_t value) { return put(value); }
  RecordBuffer& u32(std::uint32_t value) { return put(value); }
  RecordBuffer& u64(std::uint64_t value) { return put(value); }
  RecordBuffer& i64(std::int64_t value) { return put(value); }
  RecordBuffer& i32(std::int32_t value) { return put(value); }
  /// Cuts longer texts.
  RecordBuffer& text(std::string_view text) {
    const std::size_t length = text.size() < longestText ? text.size() : longestText;
    std::memcpy(bytes_.data() + size_, text.data(), length);
    size_ += length;
    return *this;
  }

  RecordKind kind() const { return kind_; }
  const std::uint8_t* data() {
    const auto length = static_cast<std::uint16_t>(size_ - 4);
    std::memcpy(bytes_.data() + 2, &length, sizeof length);
    return bytes_.data();
  }
  std::size_t size() const { return size_; }

 private:
  template <typename Value>
  RecordBuffer& put(Value value) {
    std::memcpy(bytes_.data() + size_, &value, sizeof value);
    size_ += sizeof value;
    return *this;
  }

  RecordKind kind_;
  std::size_t size_ = 4;
  // Only written bytes are read, so this stays uninitialised.
  std::array<std::uint8_t, longestText + 64> bytes_;
};

}  // namespace copyscope::record
