// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <zip.h>

namespace truewheel::wheel {

/// The functions of libzip that are called here. The library is loaded when the first archive is
/// written: it needs libcrypto and two more, and the dynamic linker takes a millisecond for them
/// that a command which only reads has no use for.
struct LibZip {
  decltype(&::zip_close) close;
  decltype(&::zip_discard) discard;
  decltype(&::zip_error_fini) error_fini;
  decltype(&::zip_error_init) error_init;
  decltype(&::zip_error_set) error_set;
  decltype(&::zip_error_strerror) error_strerror;
  decltype(&::zip_error_to_data) error_to_data;
  decltype(&::zip_file_add) file_add;
  decltype(&::zip_file_set_dostime) file_set_dostime;
  decltype(&::zip_file_set_external_attributes) file_set_external_attributes;
  decltype(&::zip_get_error) get_error;
  decltype(&::zip_open_from_source) open_from_source;
  decltype(&::zip_set_file_compression) set_file_compression;
  decltype(&::zip_source_free) source_free;
  decltype(&::zip_source_function_create) source_function_create;
  decltype(&::zip_source_seek_compute_offset) source_seek_compute_offset;
  decltype(&::zip_stat_init) stat_init;
};

/// Loads it at the first call; any thread may call. Throws Error(io, "libzip").
[[nodiscard]] const LibZip& libzip();

}  // namespace truewheel::wheel
