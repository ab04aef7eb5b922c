# The Node-API addon, with the CUDA engine where a toolkit is found.
add_library(copyscope SHARED
  src/addon/addon.cpp
  src/addon/addon_report.cpp
  src/addon/addon_result.cpp
  src/addon/addon_run.cpp
  ${CMAKE_JS_SRC})
set_target_properties(copyscope PROPERTIES PREFIX "" SUFFIX ".node")
target_include_directories(copyscope PRIVATE ${CMAKE_JS_INC})
target_compile_definitions(copyscope PRIVATE NAPI_VERSION=8 NAPI_CPP_EXCEPTIONS)
target_link_libraries(copyscope PRIVATE copyscope_engine ${CMAKE_JS_LIB})
if(NOT MSVC)
  target_compile_options(copyscope PRIVATE -Wall -Wextra)
endif()
if(APPLE)
  target_link_options(copyscope PRIVATE -undefined dynamic_lookup)
elseif(UNIX)
  # cudart and the C++ runtime are linked in; their symbols must not meet those of another addon. libgcc_s is not, and what
  # nobody calls is left out: both ask for a newer glibc than anything that is called (test/native/addonSymbols.test.ts).
  target_link_options(copyscope PRIVATE -static-libstdc++ -Wl,--exclude-libs,ALL,--gc-sections)
endif()

if(MSVC AND CMAKE_JS_NODELIB_DEF AND CMAKE_JS_NODELIB_TARGET)
  execute_process(COMMAND ${CMAKE_AR} /def:${CMAKE_JS_NODELIB_DEF} /out:${CMAKE_JS_NODELIB_TARGET}
    ${CMAKE_STATIC_LINKER_FLAGS})
endif()

include(cmake/cuda.cmake)
