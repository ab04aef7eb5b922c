# The copy engine for Python, as a C library without Node. Linux only, like the package that loads it.
if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
  return()
endif()
add_library(copyscope_copy SHARED src/copy/copy_library.cpp)
target_compile_options(copyscope_copy PRIVATE -Wall -Wextra -Wshadow)
target_link_libraries(copyscope_copy PRIVATE $<IF:$<TARGET_EXISTS:copyscope_cuda>,copyscope_cuda,copyscope_engine>)
# Like the addon's: the program has a C++ runtime and perhaps a cudart of its own.
target_link_options(copyscope_copy PRIVATE -static-libstdc++ -Wl,-z,nodelete,--exclude-libs,ALL,--gc-sections)
