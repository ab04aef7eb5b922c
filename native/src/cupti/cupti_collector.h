// CUPTI's buffers: provided, taken back, and read into records. CUPTI calls back without context, so the process has
// one object.
#pragma once

#include <mutex>
#include <vector>

#include "cupti/activity_join.h"
#include "cupti/cupti_library.h"

namespace copyscope {

class CuptiCollector {
 public:
  static CuptiCollector& instance();

  /// Registers the callbacks once for the process. Returns the error, or an empty text.
  std::string connect(const CuptiLibrary& library);

  /// Sets the difference between the executor's time and a record's: 0 if CUPTI stamps with the executor's clock.
  void align();
  bool hasOwnClock() const { return ownClock_; }

  void clear();
  /// Returns the records delivered since the last clear(), and whether any were lost.
  std::vector<ActivityRecord> take(bool& lost);
  /// Returns the number of records delivered so far for any of these streams.
  std::size_t count(const std::vector<std::uint32_t>& streamIds) const;

 private:
  static void CUPTIAPI requested(uint8_t** buffer, size_t* size, size_t* maxRecords);
  static void CUPTIAPI completed(CUcontext context, uint32_t stream, uint8_t* buffer, size_t size, size_t validSize);
  static uint64_t CUPTIAPI timestamp();
  void read(uint8_t* buffer, std::size_t validSize);
  void add(const CUpti_Activity* activity);

  const CuptiLibrary* library_ = nullptr;
  bool ownClock_ = false;
  std::int64_t offsetNs_ = 0;
  mutable std::mutex mutex_;
  std::vector<ActivityRecord> records_;
  std::vector<uint8_t*> spare_;
  bool lost_ = false;
};

}  // namespace copyscope
