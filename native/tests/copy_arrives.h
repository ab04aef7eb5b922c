// What the tests of multi-tensor copies share.
#pragma once

#include "copy/multi_copy.h"

namespace copyscope::testing {

/// Whether every byte of a copy into overwritten targets is right.
inline bool arrives(copy::MultiCopy& copies, copy::CopyEngine& engine) {
  copies.poison();
  copies.run(engine.defaultStream());
  const Comparison found = copies.verify();
  return found.wrong == 0 && found.checked == copies.bytes();
}

}  // namespace copyscope::testing
