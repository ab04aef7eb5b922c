# The benchmarks: functions of the addon, and their device code where the CUDA engine is built.
if(TARGET copyscope)
  target_sources(copyscope PRIVATE src/addon/addon_bench.cpp)
endif()
if(TARGET copyscope_cuda)
  target_sources(copyscope_cuda PRIVATE
    src/bench/bench_blocks.cpp
    src/bench/bench_copies.cpp
    src/bench/bench_kernels.cu
    src/bench/bench_launches.cpp
    src/bench/bench_memory.cpp
    src/bench/bench_session.cpp
    src/bench/bench_submit.cpp)
endif()
