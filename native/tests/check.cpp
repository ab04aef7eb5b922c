#include "check.h"

#include <cstdio>
#include <exception>
#include <vector>

namespace check {
namespace {

struct Test {
  const char* name;
  Body body;
};

std::vector<Test>& tests() {
  static std::vector<Test> all;
  return all;
}

bool currentPassed = true;

}  // namespace

Registration::Registration(const char* name, Body body) { tests().push_back({name, body}); }

void report(bool passed, const std::string& expression, const char* file, int line) {
  if (passed) return;
  currentPassed = false;
  std::printf("  %s:%d: not so: %s\n", file, line, expression.c_str());
}

}  // namespace check

/// Runs every test; the exit code is the number of failed tests.
int main() {
  int failed = 0;
  for (const check::Test& test : check::tests()) {
    check::currentPassed = true;
    try {
      test.body();
    } catch (const std::exception& error) {
      check::report(false, std::string("threw ") + error.what(), test.name, 0);
    }
    if (!check::currentPassed) {
      ++failed;
      std::printf("FAILED %s\n", test.name);
    }
  }
  std::printf("%d passed, %d failed\n", static_cast<int>(check::tests().size()) - failed, failed);
  return failed;
}
