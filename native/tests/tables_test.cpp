// Tables from outside are refused if they are out of range, and never read beyond their end.
#include <limits>
#include <random>

#include "check.h"
#include "executor/failure.h"
#include "executor/tables.h"

using namespace copyscope;

namespace {

struct Numbers {
  std::vector<double> devices{0};
  std::vector<double> buffers{1, 64, 1, 7, 0, 0, 0, 6, 64, 3, 9, 1, 0, 0};
  std::vector<double> streams{0, -1, 0, 0};
  std::vector<double> events{1};
  std::vector<double> instructions{
      3, 0, 0, -1, 0, 0, 1, 0, 64, 0, -1, 0, 0, 0, 1, 0, -1, 1,  // copy
      6, 1, 0, 0, -1, 0, -1, 0, 0, 0, -1, 0, 0, 0, 1, 0, -1, 1,  // recordEvent
  };
  std::vector<double> expectations{1, 0, 64, 1, 7, 0, 1};
  /// That of the tables if below zero.
  double checksum = -1;

  Program read() const {
    ProgramTables tables;
    tables.bufferIds = {"a", "b"};
    tables.devices = {devices.data(), devices.size()};
    tables.buffers = {buffers.data(), buffers.size()};
    tables.streams = {streams.data(), streams.size()};
    tables.events = {events.data(), events.size()};
    tables.threads = {{instructions.data(), instructions.size()}};
    tables.expectations = {expectations.data(), expectations.size()};
    tables.checksum = checksum < 0 ? checksumOf(tables) : checksum;
    return readProgram(tables);
  }
};

bool refused(const Numbers& numbers) {
  try {
    numbers.read();
    return false;
  } catch (const Failure& failure) {
    return failure.code == "native.bad-program" && !failure.field.empty();
  }
}

}  // namespace

TEST("a well-formed program is read as it was written") {
  const Program program = Numbers().read();
  CHECK(program.buffers[1].id == "b" && program.buffers[1].memory == Memory::device && program.buffers[1].written);
  CHECK(program.threads[0].size() == 2);
  CHECK(program.threads[0][0].bytes == 64 && program.threads[0][1].event == 0);
}

TEST("tables that their encoder did not write are refused") {
  Numbers numbers;
  numbers.checksum = 1;
  CHECK(refused(numbers));
}

TEST("single faults are refused") {
  const auto with = [](std::vector<double> Numbers::* table, std::size_t at, double value) {
    Numbers numbers;
    (numbers.*table)[at] = value;
    return refused(numbers);
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(with(&Numbers::buffers, 1, 0));
  CHECK(with(&Numbers::buffers, 1, 1e15));
  CHECK(with(&Numbers::buffers, 0, 7));
  CHECK(with(&Numbers::buffers, 5, 1));
  CHECK(with(&Numbers::streams, 2, 1));
  CHECK(with(&Numbers::devices, 0, -1));
  CHECK(with(&Numbers::streams, 0, 4));
  CHECK(with(&Numbers::instructions, 0, 32));
  CHECK(with(&Numbers::instructions, 0, nan));
  CHECK(with(&Numbers::instructions, 2, -1));
  CHECK(with(&Numbers::instructions, 2, 1));
  CHECK(with(&Numbers::instructions, 5, 1));
  CHECK(with(&Numbers::instructions, 6, 2));
  CHECK(with(&Numbers::instructions, 8, 65));
  CHECK(with(&Numbers::instructions, 21, -1));
  for (const double code : {18, 20, 22, 23, 24, 26, 28, 29}) CHECK(with(&Numbers::instructions, 18, code));
  CHECK(with(&Numbers::expectations, 2, 65));
}

TEST("random tables are refused or read, and nothing else") {
  std::mt19937 random(7);
  const double values[] = {-2, -1, 0, 0.5, 1, 2, 3, 63, 64, 65, 1e9, 1e12, 1e300, -1e300};
  for (int round = 0; round < 20000; ++round) {
    Numbers numbers;
    for (std::vector<double>* table : {&numbers.buffers, &numbers.instructions, &numbers.expectations}) {
      if (random() % 2 == 0) (*table)[random() % table->size()] = values[random() % 14];
    }
    if (random() % 50 == 0) numbers.instructions.pop_back();
    try {
      numbers.read();
    } catch (const Failure& failure) {
      CHECK(failure.code == "native.bad-program");
    }
  }
}
