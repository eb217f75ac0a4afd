// SPDX-License-Identifier: Apache-2.0
#include "wheel/libzip.hpp"

#include "base/text.hpp"
#include "wheel/load_ahead.hpp"
#include <truewheel/error.hpp>

#include <bit>
#include <dlfcn.h>
#include <exception>
#include <string>
#include <system_error>

namespace truewheel::wheel {
namespace {

[[noreturn]] void fail() {
  const char* const said = ::dlerror();
  const std::string why = said != nullptr ? said : "no reason";
  // What is there and cannot be used is hardly the system's.
  const char* const hint = why.find("No such file") != std::string::npos
                               ? "install the package that has " TRUEWHEEL_LIBZIP_SONAME
                               : "if LD_LIBRARY_PATH led truewheel to it, name a build's folders "
                                 "in AUDITWHEEL_LD_LIBRARY_PATH or by --search instead";
  throw Error(ErrorKind::io, "libzip", "cannot load libzip, which writes archives: " + why, hint);
}

template <class Function>
void find(void* library, const char* name, Function& function) {
  void* const found = ::dlsym(library, name);
  if (found == nullptr) fail();
  function = std::bit_cast<Function>(found);
}

void* load_library(const std::string& name) {
  void* const library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  // The dynamic linker does not go on after a read that a signal interrupts.
  return library != nullptr ? library : ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
}

/// The system's own libzip where this program was built, or nullptr. LD_LIBRARY_PATH names the
/// libraries of the build whose wheel is repaired, among which may be another libzip, or another
/// libz than libzip's. So each library has been loaded by its path before one that needs it looks
/// for its SONAME: glibc then takes what it has. (musl asks LD_LIBRARY_PATH all the same.)
void* open_system_libzip() {
  void* library = nullptr;
  for (const auto& file : split(TRUEWHEEL_LIBZIP_FILES, ':')) library = load_library(file);
  return library;
}

LibZip load() {
  void* library = open_system_libzip();
  if (library == nullptr) library = load_library(TRUEWHEEL_LIBZIP_SONAME);
  if (library == nullptr) fail();
  LibZip zip{};
  find(library, "zip_close", zip.close);
  find(library, "zip_discard", zip.discard);
  find(library, "zip_error_fini", zip.error_fini);
  find(library, "zip_error_init", zip.error_init);
  find(library, "zip_error_set", zip.error_set);
  find(library, "zip_error_strerror", zip.error_strerror);
  find(library, "zip_error_to_data", zip.error_to_data);
  find(library, "zip_file_add", zip.file_add);
  find(library, "zip_file_set_dostime", zip.file_set_dostime);
  find(library, "zip_file_set_external_attributes", zip.file_set_external_attributes);
  find(library, "zip_get_error", zip.get_error);
  find(library, "zip_open_from_source", zip.open_from_source);
  find(library, "zip_set_file_compression", zip.set_file_compression);
  find(library, "zip_source_free", zip.source_free);
  find(library, "zip_source_function_create", zip.source_function_create);
  find(library, "zip_source_seek_compute_offset", zip.source_seek_compute_offset);
  find(library, "zip_stat_init", zip.stat_init);
  return zip;
}

}  // namespace

const LibZip& libzip() {
  static const LibZip loaded = load();
  return loaded;
}

std::jthread load_writer_ahead() {
  try {
    return std::jthread([] {
      try {
        static_cast<void>(libzip());
      } catch (const std::exception&) {
        // The writer tries again.
      }
    });
  } catch (const std::system_error&) {
    return {};  // a limit on threads
  }
}

}  // namespace truewheel::wheel
