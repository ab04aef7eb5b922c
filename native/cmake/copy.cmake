# The copy engine: in the engine's library, the addon, the CUDA library and the tests, as far as they are built.
target_sources(copyscope_engine PRIVATE
  src/copy/block_copy.cpp
  src/copy/copy_engine.cpp
  src/copy/host_copy_device.cpp
  src/copy/loops.cpp
  src/copy/memory_need.cpp
  src/copy/memory_pool.cpp
  src/copy/multi_copy.cpp
  src/copy/packing_plan.cpp
  src/copy/pending_copy.cpp
  src/copy/pipeline.cpp
  src/copy/processor_share.cpp
  src/copy/slot_ring.cpp
  src/copy/streaming_copy.cpp
  src/copy/transfer_plan.cpp
  src/copy/tuning.cpp
  src/copy/worker_pool.cpp)
if(TARGET copyscope)
  target_sources(copyscope PRIVATE src/addon/addon_copy.cpp src/addon/addon_handles.cpp src/addon/addon_start.cpp
                                   src/addon/copy_request.cpp src/addon/engine_registry.cpp)
endif()
if(TARGET copyscope_cuda)
  target_sources(copyscope_cuda PRIVATE src/cuda/cuda_copy_device.cpp src/cuda/piece_kernel.cu)
endif()
if(TARGET copyscope_executor_tests)
  target_sources(copyscope_executor_tests PRIVATE
    tests/block_copy_test.cpp
    tests/copy_engine_test.cpp
    tests/copy_handles_test.cpp
    tests/copy_pending_test.cpp
    tests/copy_plan_test.cpp
    tests/copy_pool_test.cpp
    tests/multi_copy_test.cpp)
endif()
