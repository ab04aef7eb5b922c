#include "chunk_writer.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <utility>

#include "executor/clock.h"

namespace copyscope::record {
namespace {

constexpr std::size_t chunkBytes = 256u << 10;
/// At most 32 MiB wait.
constexpr std::size_t mostChunks = 128;
constexpr std::size_t mostSpare = 4;
constexpr std::size_t mostTexts = 200'000;
constexpr auto pause = std::chrono::milliseconds(400);

std::array<std::uint32_t, 256> crcTable() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t index = 0; index < 256; ++index) {
    std::uint32_t value = index;
    for (int bit = 0; bit < 8; ++bit) value = (value & 1) != 0 ? 0xedb88320u ^ (value >> 1) : value >> 1;
    table[index] = value;
  }
  return table;
}

std::uint32_t crcOf(const std::vector<std::uint8_t>& bytes, std::size_t from) {
  static const std::array<std::uint32_t, 256> table = crcTable();
  std::uint32_t crc = 0xffffffffu;
  for (std::size_t index = from; index < bytes.size(); ++index) crc = table[(crc ^ bytes[index]) & 0xff] ^ (crc >> 8);
  return crc ^ 0xffffffffu;
}

/// Returns true for records that others refer to by a number.
bool isDefinition(RecordKind kind) {
  switch (kind) {
    case RecordKind::text:
    case RecordKind::thread:
    case RecordKind::frame:
    case RecordKind::stack:
    case RecordKind::device:
      return true;
    default:
      return false;
  }
}

/// Returns true for records that are kept when others are left out: their number is limited, and others need them.
bool isNeeded(RecordKind kind) {
  return isDefinition(kind) || kind == RecordKind::problem || kind == RecordKind::dropped ||
         kind == RecordKind::window || kind == RecordKind::end;
}

}  // namespace

bool ChunkWriter::open(const std::string& path, const std::string& header) {
  const std::lock_guard<std::mutex> lock(mutex_);
  file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_APPEND, 0600);
  if (file_ < 0) return false;
  std::string start(fileMagic, magicBytes);
  const auto length = static_cast<std::uint32_t>(header.size());
  start.append(reinterpret_cast<const char*>(&length), sizeof length);
  start += header;
  if (!writeAll(start.data(), start.size())) {
    ::close(file_);
    file_ = -1;
    return false;
  }
  for (std::size_t count = spare_.size(); count < mostSpare; ++count) {
    std::vector<std::uint8_t> bytes(chunkBytes + sizeof(RecordBuffer));
    bytes.clear();
    spare_.push_back(std::move(bytes));
  }
  ending_ = failed_ = false;
  withoutRoom_ = toldDropped_ = 0;
  droppedByCupti_ = 0;
  begin();
  repeatDefinitions();
  // Signals of the program are for its own threads.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return true;
}

void ChunkWriter::repeatDefinitions() {
  for (std::size_t at = 0; at < definitions_.size();) {
    std::uint16_t length = 0;
    std::memcpy(&length, definitions_.data() + at + 2, sizeof length);
    const std::size_t size = 4u + length;
    open_.bytes.insert(open_.bytes.end(), definitions_.begin() + static_cast<std::ptrdiff_t>(at),
                       definitions_.begin() + static_cast<std::ptrdiff_t>(at + size));
    ++open_.records;
    at += size;
    if (open_.bytes.size() >= chunkBytes) shut();
  }
}

void ChunkWriter::append(RecordBuffer& record) {
  const std::lock_guard<std::mutex> lock(mutex_);
  put(record);
}

void ChunkWriter::put(RecordBuffer& record) {
  const std::uint8_t* const bytes = record.data();
  if (isDefinition(record.kind())) definitions_.insert(definitions_.end(), bytes, bytes + record.size());
  if (failed_ || file_ < 0) return;
  if (full_.size() >= mostChunks && !isNeeded(record.kind())) {
    ++withoutRoom_;
    return;
  }
  open_.bytes.insert(open_.bytes.end(), bytes, bytes + record.size());
  ++open_.records;
  if (record.kind() == RecordKind::copy) ++open_.copies;
  if (record.kind() == RecordKind::kernel) ++open_.kernels;
  if (record.kind() == RecordKind::call && bytes[4 + 36] == static_cast<std::uint8_t>(CallRole::wait)) ++open_.waits;
  if (open_.bytes.size() < chunkBytes) return;
  shut();
  wake_.notify_one();
}

void ChunkWriter::begin() {
  open_ = Chunk();
  if (spare_.empty()) {
    open_.bytes.reserve(chunkBytes + sizeof(RecordBuffer));
  } else {
    open_.bytes = std::move(spare_.back());
    spare_.pop_back();
  }
  open_.bytes.resize(chunkHeaderBytes);
}

void ChunkWriter::shut() {
  const std::uint64_t dropped = droppedByCupti_.load(std::memory_order_relaxed) + withoutRoom_;
  open_.dropped = static_cast<std::uint32_t>(std::min<std::uint64_t>(dropped, UINT32_MAX));
  full_.push_back(std::move(open_));
  begin();
}

std::uint32_t ChunkWriter::text(std::string_view text) {
  if (text.size() > longestText) text = text.substr(0, longestText);
  const std::lock_guard<std::mutex> lock(textMutex_);
  std::string key(text);
  const auto known = texts_.find(key);
  if (known != texts_.end()) return known->second;
  if (texts_.size() >= mostTexts) return 0;
  const auto number = static_cast<std::uint32_t>(texts_.size() + 1);
  texts_.emplace(std::move(key), number);
  // Written under the lock, so that the text precedes any record that names it.
  RecordBuffer record(RecordKind::text);
  append(record.u32(number).text(text));
  return number;
}

void ChunkWriter::run() {
  std::unique_lock<std::mutex> lock(mutex_);
  auto next = std::chrono::steady_clock::now() + pause;
  for (;;) {
    wake_.wait_until(lock, next, [&] { return ending_ || !full_.empty(); });
    const bool isLast = ending_;
    const bool isDue = std::chrono::steady_clock::now() >= next;
    if (isDue && !isLast) {
      next = std::chrono::steady_clock::now() + pause;
      lock.unlock();
      tick_();
      lock.lock();
    }
    if ((isDue || isLast) && open_.records > 0) {
      tellDropped();
      shut();
    }
    while (!full_.empty()) {
      Chunk chunk = std::move(full_.front());
      full_.pop_front();
      const bool isSkipped = failed_;
      lock.unlock();
      const bool isWritten = isSkipped || write(chunk);
      lock.lock();
      if (!isWritten) failed_ = true;
      chunk.bytes.clear();
      if (spare_.size() < mostSpare) spare_.push_back(std::move(chunk.bytes));
    }
    if (isLast) return;
  }
}

void ChunkWriter::tellDropped() {
  const std::uint64_t byCupti = droppedByCupti_.load(std::memory_order_relaxed);
  if (byCupti + withoutRoom_ == toldDropped_) return;
  toldDropped_ = byCupti + withoutRoom_;
  RecordBuffer record(RecordKind::dropped);
  put(record.u64(byCupti).u64(withoutRoom_));
}

bool ChunkWriter::write(Chunk& chunk) {
  const auto payload = static_cast<std::uint32_t>(chunk.bytes.size() - chunkHeaderBytes);
  std::uint32_t header[8] = {};
  std::memcpy(header, chunkMagic, 4);
  header[1] = payload;
  header[2] = crcOf(chunk.bytes, chunkHeaderBytes);
  header[3] = chunk.records;
  header[4] = chunk.copies;
  header[5] = chunk.kernels;
  header[6] = chunk.waits;
  header[7] = chunk.dropped;
  std::memcpy(chunk.bytes.data(), header, sizeof header);
  if (writeAll(chunk.bytes.data(), chunk.bytes.size())) return true;
  std::fprintf(stderr, "copyscope: recording has ended, since its file can't be written on: %s\n", std::strerror(errno));
  return false;
}

bool ChunkWriter::writeAll(const void* bytes, std::size_t size) {
  const char* at = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t written = ::write(file_, at, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    at += written;
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

void ChunkWriter::close() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (file_ < 0 || ending_) return;
    RecordBuffer record(RecordKind::end);
    put(record.i64(nowNs()));
    ending_ = true;
  }
  wake_.notify_one();
  thread_.join();
  const std::lock_guard<std::mutex> lock(mutex_);
  ::close(file_);
  file_ = -1;
  spare_.clear();
}

void ChunkWriter::abandon() {
  ::close(file_);
}

}  // namespace copyscope::record
