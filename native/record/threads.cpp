#include "threads.h"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace copyscope::record {
namespace {

std::atomic<std::uint32_t> forks{0};

struct KnownThread {
  std::uint32_t id;
  std::uint32_t fork;
};
thread_local KnownThread known{};

void tell(ChunkWriter& writer, std::uint32_t id) {
  // The name as the system shortens it. No file is opened for it, since programs start threads in each step.
  char name[16 + 1] = {};
  prctl(PR_GET_NAME, name);
  const std::uint32_t text = writer.text(name);
  RecordBuffer record(RecordKind::thread);
  writer.append(record.u32(id).u32(text));
}

}  // namespace

std::uint32_t toldThread(ChunkWriter& writer) {
  const std::uint32_t fork = forkCount();
  if (known.id == 0 || known.fork != fork) {
    known = {static_cast<std::uint32_t>(syscall(SYS_gettid)), fork};
    tell(writer, known.id);
  }
  return known.id;
}

std::uint32_t forkCount() { return forks.load(std::memory_order_relaxed); }

void countFork() { forks.fetch_add(1, std::memory_order_relaxed); }

}  // namespace copyscope::record
