#include "cuda/dynamic_library.h"

#include <utility>

#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#endif

namespace copyscope {

#ifdef _WIN32

DynamicLibrary::DynamicLibrary(const std::string& name) : handle_(LoadLibraryA(name.c_str())) {}

DynamicLibrary::~DynamicLibrary() {
  if (handle_ != nullptr) FreeLibrary(static_cast<HMODULE>(handle_));
}

void* DynamicLibrary::address(const char* symbol) const {
  if (handle_ == nullptr) return nullptr;
  return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(handle_), symbol));
}

std::string DynamicLibrary::pathOf(const char*, const std::string& fallback) const {
  char path[MAX_PATH] = {};
  const DWORD length = GetModuleFileNameA(static_cast<HMODULE>(handle_), path, MAX_PATH);
  return length > 0 ? std::string(path, length) : fallback;
}

#else

DynamicLibrary::DynamicLibrary(const std::string& name) : handle_(dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {}

DynamicLibrary::~DynamicLibrary() {
  if (handle_ != nullptr) dlclose(handle_);
}

void* DynamicLibrary::address(const char* symbol) const {
  return handle_ == nullptr ? nullptr : dlsym(handle_, symbol);
}

std::string DynamicLibrary::pathOf(const char* symbol, const std::string& fallback) const {
  Dl_info info{};
  void* const found = address(symbol);
  return found != nullptr && dladdr(found, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : fallback;
}

#endif

DynamicLibrary& DynamicLibrary::operator=(DynamicLibrary&& other) noexcept {
  std::swap(handle_, other.handle_);
  return *this;
}

}  // namespace copyscope
