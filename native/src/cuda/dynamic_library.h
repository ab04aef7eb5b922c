// A library opened at run time, so that the addon loads without it.
#pragma once

#include <string>
#include <vector>

namespace copyscope {

class DynamicLibrary {
 public:
  DynamicLibrary() = default;
  /// Opens a library by name or path; `isOpen` says if it was found.
  explicit DynamicLibrary(const std::string& name);
  DynamicLibrary(DynamicLibrary&& other) noexcept : handle_(other.handle_) { other.handle_ = nullptr; }
  DynamicLibrary& operator=(DynamicLibrary&& other) noexcept;
  DynamicLibrary(const DynamicLibrary&) = delete;
  DynamicLibrary& operator=(const DynamicLibrary&) = delete;
  ~DynamicLibrary();

  bool isOpen() const { return handle_ != nullptr; }
  /// Returns the path of the file that contains `symbol`; `fallback` if the system doesn't know.
  std::string pathOf(const char* symbol, const std::string& fallback) const;

  /// Sets `function` to the symbol; returns false if the library lacks it.
  template <typename Function>
  bool find(const char* symbol, Function& function) const {
    function = reinterpret_cast<Function>(address(symbol));
    return function != nullptr;
  }

 private:
  void* address(const char* symbol) const;
  void* handle_ = nullptr;
};

/// Returns the loaded library and nothing else, or the loader's names and then a toolkit's folders. `prefix` is the
/// start of the library's file name; `loaderNames` are names for the loader.
std::vector<std::string> toolkitLibraries(const std::string& prefix, const std::vector<std::string>& loaderNames);

}  // namespace copyscope
