# The executor's tests on the CPU backend.
enable_testing()
add_executable(copyscope_executor_tests
  tests/allocation_test.cpp
  tests/caching_allocator_test.cpp
  tests/caching_host_allocator_test.cpp
  tests/cancel_test.cpp
  tests/check.cpp
  tests/executor_test.cpp
  tests/graph_test.cpp
  tests/join_test.cpp
  tests/memory_test.cpp
  tests/operations_test.cpp
  tests/order_test.cpp
  tests/own_processors_test.cpp
  tests/program_builder.cpp
  tests/signals_test.cpp
  tests/tables_test.cpp)
target_link_libraries(copyscope_executor_tests PRIVATE copyscope_engine)
if(COPYSCOPE_SANITIZE)
  # As the engine's: headers that were compiled for a library are read again where a program is compiled otherwise.
  target_compile_options(copyscope_executor_tests PRIVATE -fPIC)
  target_precompile_headers(copyscope_executor_tests REUSE_FROM copyscope_engine)
endif()
add_test(NAME executor COMMAND copyscope_executor_tests)
