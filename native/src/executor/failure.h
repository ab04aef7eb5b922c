// The one exception of the engine: a code for programs, a message for users, and the operation.
#pragma once

#include <exception>
#include <string>
#include <utility>

namespace copyscope {

struct Failure : std::exception {
  std::string code;
  std::string message;
  std::string remedy;
  /// Name of the argument or document field at fault; empty if there is none.
  std::string field;
  /// Operation number; -1 outside any operation.
  int op = -1;

  Failure() = default;
  Failure(std::string failureCode, std::string text, std::string advice = "", std::string where = "",
          int operation = -1)
      : code(std::move(failureCode)),
        message(std::move(text)),
        remedy(std::move(advice)),
        field(std::move(where)),
        op(operation) {}

  const char* what() const noexcept override { return message.c_str(); }
};

}  // namespace copyscope
