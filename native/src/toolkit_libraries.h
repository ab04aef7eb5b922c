// Where libraries of a CUDA toolkit are looked for at run time.
#pragma once

#include <string>
#include <vector>

namespace copyscope {

/// What is loaded and nothing else, or where the loader looks, then the places in which a toolkit keeps it. `prefix` is how
/// the library's file begins; `loaderNames` are the names under which the loader may know it.
std::vector<std::string> toolkitLibraries(const std::string& prefix, const std::vector<std::string>& loaderNames);

}  // namespace copyscope
