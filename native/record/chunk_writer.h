// Takes records from any thread and appends them to the file from its own thread. Waiting data is limited: records
// without room are counted and left out. If the file can't be written, the recording ends, never the program.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "record_buffer.h"

namespace copyscope::record {

class ChunkWriter {
 public:
  /// `tick` is called on the writer's thread about twice a second, before received data is written.
  explicit ChunkWriter(std::function<void()> tick) : tick_(std::move(tick)) {}

  /// Opens a file, writes its header, and repeats the definitions of this process's earlier files, so that numbers stay
  /// valid. Returns false if the file can't be written. The previous file must be closed.
  bool open(const std::string& path, const std::string& header);
  void append(RecordBuffer& record);
  /// Returns the number of a text, after writing it to the file if it is new; 0 if there are too many.
  std::uint32_t text(std::string_view text);
  /// Adds to the number of records that CUPTI reports as dropped.
  void addDropped(std::uint64_t records) { droppedByCupti_.fetch_add(records, std::memory_order_relaxed); }
  /// Writes all received data, and `end`; takes nothing from then on.
  void close();
  /// Gives up the file in a forked child, which lacks the writer's thread, since it belongs to the parent.
  void abandon();

 private:
  struct Chunk {
    std::vector<std::uint8_t> bytes;
    std::uint32_t records = 0;
    std::uint32_t copies = 0;
    std::uint32_t kernels = 0;
    std::uint32_t waits = 0;
    std::uint32_t dropped = 0;
  };

  void put(RecordBuffer& record);
  void repeatDefinitions();
  void begin();
  void shut();
  void run();
  void tellDropped();
  bool write(Chunk& chunk);
  bool writeAll(const void* bytes, std::size_t size);

  int file_ = -1;
  std::function<void()> tick_;
  std::mutex mutex_;
  std::condition_variable wake_;
  Chunk open_;
  std::deque<Chunk> full_;
  /// Records of texts, threads, frames, stacks and devices, for the next file.
  std::vector<std::uint8_t> definitions_;
  /// Memory of written chunks, whose pages exist.
  std::vector<std::vector<std::uint8_t>> spare_;
  std::uint64_t withoutRoom_ = 0;
  std::uint64_t toldDropped_ = 0;
  std::atomic<std::uint64_t> droppedByCupti_{0};
  bool ending_ = false;
  bool failed_ = false;
  std::mutex textMutex_;
  std::unordered_map<std::string, std::uint32_t> texts_;
  std::thread thread_;
};

}  // namespace copyscope::record
