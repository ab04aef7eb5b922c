# The library that `copyscope record` loads into another program. Linux only, as CUDA's injection is used here.
if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
  return()
endif()
find_path(record_cupti_include cupti.h
  HINTS ${CUDAToolkit_INCLUDE_DIRS} $ENV{CUDA_HOME}/include $ENV{CUDA_HOME}/extras/CUPTI/include
  /usr/local/cuda/include /usr/local/cuda/extras/CUPTI/include)
find_path(record_nvtx_include nvtx3/nvToolsExt.h
  HINTS ${CUDAToolkit_INCLUDE_DIRS} $ENV{CUDA_HOME}/include /usr/local/cuda/include)
if(NOT record_cupti_include OR NOT record_nvtx_include)
  message(STATUS "COPYSCOPE: no headers of CUPTI and NVTX: programs can't be recorded.")
  return()
endif()

add_library(copyscope_record SHARED
  record/activities.cpp
  record/call_names.cpp
  record/calls.cpp
  record/chunk_writer.cpp
  record/frame_layout.cpp
  record/native_stack.cpp
  record/nvtx_ranges.cpp
  record/python_api.cpp
  record/python_stack.cpp
  record/record_library.cpp
  record/recorder.cpp
  record/threads.cpp
  src/cuda/dynamic_library.cpp
  src/cuda/toolkit_libraries.cpp
  src/cupti/cupti_library.cpp)
target_include_directories(copyscope_record PRIVATE record src)
target_include_directories(copyscope_record SYSTEM PRIVATE
  ${record_cupti_include} ${record_nvtx_include} /usr/local/cuda/include)
target_compile_options(copyscope_record PRIVATE -Wall -Wextra -Wshadow)
target_link_libraries(copyscope_record PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
if(COPYSCOPE_SANITIZE)
  target_compile_options(copyscope_record PRIVATE ${sanitizers})
  target_link_options(copyscope_record PRIVATE ${sanitizers})
else()
  # The program has a C++ runtime and a glibc of its own, perhaps older ones. libgcc_s is the exception: it has needed the
  # same names for twenty years, and the static one asks for glibc 2.35. Sections that nobody calls are left out, since
  # some of libstdc++.a ask for more. With glibc 2.34 libdl and libpthread are empty, before it they are what is called.
  target_sources(copyscope_record PRIVATE record/old_glibc.cpp)
  target_compile_options(copyscope_record PRIVATE -ffunction-sections)
  set(exports ${CMAKE_CURRENT_SOURCE_DIR}/record/exports.map)
  set_target_properties(copyscope_record PROPERTIES LINK_DEPENDS ${exports})
  target_link_options(copyscope_record PRIVATE -static-libstdc++ -Wl,-z,nodelete,--gc-sections,--version-script=${exports}
    LINKER:--no-as-needed,-l:libdl.so.2,-l:libpthread.so.0,--as-needed)
endif()

if(NOT CMAKE_JS_INC)
  # Tests: a program that plays CUDA over a stand-in for CUPTI.
  add_library(copyscope_standin_cupti SHARED tests/record/standin_cupti.cpp)
  set_target_properties(copyscope_standin_cupti PROPERTIES OUTPUT_NAME cupti SUFFIX .so.13
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/standin)
  add_library(copyscope_standin_allocator SHARED tests/record/standin_allocator.cpp)
  set_target_properties(copyscope_standin_allocator PROPERTIES OUTPUT_NAME c10_cuda
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/standin)
  target_link_libraries(copyscope_standin_allocator PRIVATE copyscope_standin_cupti)
  add_library(copyscope_standin_autograd SHARED tests/record/standin_autograd.cpp)
  set_target_properties(copyscope_standin_autograd PROPERTIES OUTPUT_NAME standin_autograd
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/standin)
  target_link_libraries(copyscope_standin_autograd PRIVATE
    copyscope_standin_cupti Threads::Threads ${CMAKE_DL_LIBS})
  add_library(copyscope_standin_program SHARED tests/record/player.cpp)
  set_target_properties(copyscope_standin_program PROPERTIES OUTPUT_NAME standin_program
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/standin)
  target_link_libraries(copyscope_standin_program PRIVATE
    copyscope_standin_cupti Threads::Threads ${CMAKE_DL_LIBS})
  add_executable(copyscope_record_player tests/record/player.cpp)
  target_link_libraries(copyscope_record_player PRIVATE copyscope_standin_cupti Threads::Threads ${CMAKE_DL_LIBS})
  foreach(target copyscope_standin_cupti copyscope_standin_allocator copyscope_standin_autograd copyscope_standin_program
          copyscope_record_player)
    target_include_directories(${target} SYSTEM PRIVATE
      ${record_cupti_include} ${record_nvtx_include} /usr/local/cuda/include)
    if(COPYSCOPE_SANITIZE)
      target_compile_options(${target} PRIVATE ${sanitizers})
      target_link_options(${target} PRIVATE ${sanitizers})
    endif()
  endforeach()

  if(COPYSCOPE_SANITIZE)
    set(record_folder ${CMAKE_BINARY_DIR}/recorded)
    file(MAKE_DIRECTORY ${record_folder})
    # The player ends with 3, or with 7 if it calls exit().
    foreach(play "3 4 300" "3 2 50 fork" "7 2 50 exit")
      separate_arguments(arguments UNIX_COMMAND ${play})
      list(POP_FRONT arguments code)
      list(JOIN arguments "_" name)
      add_test(NAME record_${name} COMMAND sh -c "\"$@\" || test $? = ${code}" sh
        ${sanitized_run} $<TARGET_FILE:copyscope_record_player> ${arguments})
      list(APPEND record_tests record_${name})
    endforeach()
    find_package(Python3 COMPONENTS Interpreter)
    if(Python3_FOUND)
      # Python isn't built with the sanitizer: only the recorder's code is watched. The sanitizer's runtime must be loaded first.
      string(SUBSTRING ${COPYSCOPE_SANITIZE} 0 1 letter)
      execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=lib${letter}san.so
        OUTPUT_VARIABLE runtime OUTPUT_STRIP_TRAILING_WHITESPACE)
      # What stands in PATH may be a shell script (pyenv), and no shell runs with that runtime.
      execute_process(COMMAND ${Python3_EXECUTABLE} -c "import sys; print(sys.executable)"
        OUTPUT_VARIABLE python OUTPUT_STRIP_TRAILING_WHITESPACE)
      add_test(NAME record_python COMMAND ${sanitized_run} env LD_PRELOAD=${runtime} ASAN_OPTIONS=detect_leaks=0
        ${python} ${CMAKE_CURRENT_SOURCE_DIR}/tests/record/many_stacks.py)
      list(APPEND record_tests record_python)
    endif()
    set(library $<TARGET_FILE:copyscope_record>)
    set(environment LD_LIBRARY_PATH=${CMAKE_BINARY_DIR}/standin CUDA_INJECTION64_PATH=${library}
                    NVTX_INJECTION64_PATH=${library} COPYSCOPE_RECORD_FOLDER=${record_folder})
    set_tests_properties(${record_tests} PROPERTIES ENVIRONMENT "${environment}"
      FAIL_REGULAR_EXPRESSION "Sanitizer|WARNING")
  endif()
endif()
