# Adds the CUDA engine to the addon where a toolkit is found, and says loudly where none is.
if(NOT COPYSCOPE_CUDA)
  message(WARNING "COPYSCOPE: building WITHOUT CUDA, as asked (COPYSCOPE_CUDA=OFF).")
  return()
endif()

# CMake doesn't look where the toolkit usually is.
if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
  find_program(nvcc_found nvcc HINTS $ENV{CUDA_HOME} $ENV{CUDA_PATH} /usr/local/cuda /opt/cuda PATH_SUFFIXES bin)
  if(nvcc_found)
    set(CMAKE_CUDA_COMPILER "${nvcc_found}")
  endif()
endif()
# Machine code for the common data-centre and desktop GPUs, and PTX from which the driver makes any other.
if(NOT CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 75-virtual 80-real 86-real 89-real 90-real)
endif()

include(CheckLanguage)
check_language(CUDA)
if(CMAKE_CUDA_COMPILER)
  enable_language(CUDA)
  find_package(CUDAToolkit)
endif()
if(NOT CMAKE_CUDA_COMPILER OR NOT TARGET CUDA::cudart_static)
  message(WARNING "COPYSCOPE: no CUDA toolkit found: building WITHOUT the CUDA engine. "
    "Install the toolkit (or set CUDA_HOME) and run: npm run build:native")
  return()
endif()

add_library(copyscope_cuda STATIC
  src/cuda/cuda_backend.cpp
  src/cuda/cuda_calls.cpp
  src/cuda/cuda_device.cpp
  src/cuda/cuda_devices.cpp
  src/cuda/cuda_graphs.cpp
  src/cuda/cuda_batches.cpp
  src/cuda/cuda_host_functions.cpp
  src/cuda/cuda_issue.cpp
  src/cuda/cuda_kernels.cu
  src/cuda/cuda_memory.cpp
  src/cuda/dynamic_library.cpp
  src/cuda/event_recorder.cpp
  src/cuda/library_kernels.cpp
  src/cuda/math_libraries.cpp
  src/cuda/toolkit_libraries.cpp)
set_target_properties(copyscope_cuda PROPERTIES CUDA_STANDARD 17 CUDA_RUNTIME_LIBRARY Static)
target_link_libraries(copyscope_cuda PUBLIC copyscope_engine CUDA::cudart_static)
target_compile_definitions(copyscope_cuda PUBLIC COPYSCOPE_WITH_CUDA)
if(NOT MSVC)
  target_compile_options(copyscope_cuda PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wshadow>)
endif()

find_path(cupti_include cupti.h
  HINTS ${CUDAToolkit_INCLUDE_DIRS} ${CUDAToolkit_LIBRARY_ROOT}/extras/CUPTI/include
  /usr/local/cuda/extras/CUPTI/include)
if(cupti_include)
  target_sources(copyscope_cuda PRIVATE src/cupti/cupti_collector.cpp src/cupti/cupti_library.cpp src/cupti/cupti_recorder.cpp)
  target_include_directories(copyscope_cuda SYSTEM PRIVATE ${cupti_include})
  target_compile_definitions(copyscope_cuda PUBLIC COPYSCOPE_WITH_CUPTI)
else()
  message(WARNING "COPYSCOPE: no CUPTI headers found: device times will come from CUDA events.")
endif()

target_link_libraries(copyscope PRIVATE copyscope_cuda)
message(STATUS "COPYSCOPE: with CUDA ${CUDAToolkit_VERSION}")
file(WRITE ${CMAKE_BINARY_DIR}/cuda-version.txt "${CUDAToolkit_VERSION}")
