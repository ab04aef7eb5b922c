# Builds for Linux on 64-bit Arm with Debian's cross compiler (g++-aarch64-linux-gnu): scripts/prebuild.mjs --arm64.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_STRIP aarch64-linux-gnu-strip)
# Programs of this machine, headers and libraries of the other; what CMake finds by hints is headers alone.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
