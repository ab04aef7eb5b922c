# The executor's tests on the CPU backend.
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
if(CMAKE_JS_INC)
  # `npm ci` builds the addon alone; `npm test` asks for this target by name.
  set_target_properties(copyscope_executor_tests PROPERTIES EXCLUDE_FROM_ALL TRUE)
endif()
if(COPYSCOPE_SANITIZE)
  # As the engine's: headers that were compiled for a library are read again where a program is compiled otherwise.
  target_compile_options(copyscope_executor_tests PRIVATE -fPIC)
  target_precompile_headers(copyscope_executor_tests REUSE_FROM copyscope_engine)
endif()
add_test(NAME executor COMMAND ${sanitized_run} $<TARGET_FILE:copyscope_executor_tests>)
