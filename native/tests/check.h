// A small test harness: TEST registers a test, CHECK counts failures and prints their places.
#pragma once

#include <string>

namespace check {

using Body = void (*)();
struct Registration {
  Registration(const char* name, Body body);
};
void report(bool passed, const std::string& expression, const char* file, int line);

}  // namespace check

#define TEST_PASTE(a, b) a##b
#define TEST_JOIN(a, b) TEST_PASTE(a, b)
#define TEST(title)                                                                                              \
  static void TEST_JOIN(test_, __LINE__)();                                                                      \
  static const check::Registration TEST_JOIN(registration_, __LINE__)(title, TEST_JOIN(test_, __LINE__));        \
  static void TEST_JOIN(test_, __LINE__)()
#define CHECK(...) check::report(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)
