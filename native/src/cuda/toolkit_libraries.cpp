#include "cuda/dynamic_library.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#ifndef _WIN32
#include <link.h>
#endif

namespace copyscope {
namespace {

namespace fs = std::filesystem;

bool begins(const fs::path& path, const std::string& prefix) { return path.filename().string().rfind(prefix, 0) == 0; }

std::vector<fs::path> toolkitFolders() {
  std::vector<fs::path> folders;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* const value = std::getenv(name);
    if (value != nullptr && *value != '\0') folders.emplace_back(value);
  }
  folders.emplace_back("/usr/local/cuda");
  folders.emplace_back("/opt/cuda");
  std::error_code ignored;
  std::vector<fs::path> versioned;
  for (const fs::directory_entry& entry : fs::directory_iterator("/usr/local", ignored)) {
    if (entry.path().filename().string().rfind("cuda-", 0) == 0) versioned.push_back(entry.path());
  }
  std::sort(versioned.rbegin(), versioned.rend());  // Newest first.
  folders.insert(folders.end(), versioned.begin(), versioned.end());
  return folders;
}

#ifdef _WIN32
/// Since CUDA 13 the loaded libraries are a folder deeper.
constexpr const char* libraryFolders[] = {"extras/CUPTI/lib64", "bin/x64", "bin"};

std::vector<std::string> loaded(const std::string&) { return {}; }
#else
constexpr const char* libraryFolders[] = {"extras/CUPTI/lib64", "lib64", "targets/x86_64-linux/lib",
                                          "targets/sbsa-linux/lib"};

struct Wanted {
  const std::string& prefix;
  std::vector<std::string> found;
};

int collectLoaded(dl_phdr_info* info, std::size_t, void* into) {
  const std::string path = info->dlpi_name == nullptr ? "" : info->dlpi_name;
  auto* const wanted = static_cast<Wanted*>(into);
  if (begins(path, wanted->prefix)) wanted->found.push_back(path);
  return 0;
}

/// Returns the library that the process has already, as PyTorch brings its own. Two of them in one process conflict.
std::vector<std::string> loaded(const std::string& prefix) {
  Wanted wanted{prefix, {}};
  dl_iterate_phdr(collectLoaded, &wanted);
  return wanted.found;
}
#endif

}  // namespace

std::vector<std::string> toolkitLibraries(const std::string& prefix, const std::vector<std::string>& loaderNames) {
  std::vector<std::string> found = loaded(prefix);
  if (!found.empty()) return found;
  found = loaderNames;
  std::error_code ignored;
  for (const fs::path& toolkit : toolkitFolders()) {
    for (const char* folder : libraryFolders) {
      for (const fs::directory_entry& entry : fs::directory_iterator(toolkit / folder, ignored)) {
        if (begins(entry.path(), prefix)) found.push_back(entry.path().string());
      }
    }
  }
  return found;
}

}  // namespace copyscope
