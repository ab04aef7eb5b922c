// Places in which libraries of a CUDA toolkit are searched at run time.
#pragma once

#include <string>
#include <vector>

namespace copyscope {

/// Returns the loaded library and nothing else, or the loader's names and then a toolkit's folders. `prefix` is the
/// start of the library's file name; `loaderNames` are names for the loader.
std::vector<std::string> toolkitLibraries(const std::string& prefix, const std::vector<std::string>& loaderNames);

}  // namespace copyscope
