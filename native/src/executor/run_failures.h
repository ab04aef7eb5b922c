// Failures of a run that both engines throw with the same text.
#pragma once

#include "executor/failure.h"

namespace copyscope {

inline Failure captureForbids(const std::string& what) {
  return Failure("run.capture", what + " can't be used like this during a capture.",
                 "Move the operation out of the graph, or capture another stream.");
}

inline Failure graphNotThere(const std::string& graph) {
  return Failure("run.no-graph", "Graph " + graph + " was not captured before this launch.",
                 "Capture it first, and signal to the thread that launches it.");
}

inline Failure eventNotComplete() {
  return Failure("run.event-not-complete", "The time between two events is known only once both are complete and timed.",
                 "Record both, synchronise with the later one, and leave their timing on.");
}

}  // namespace copyscope
