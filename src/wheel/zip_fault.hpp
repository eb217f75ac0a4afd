// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/text.hpp"
#include <truewheel/error.hpp>

#include <array>
#include <string>
#include <string_view>

namespace truewheel::wheel {

/// Every reason to refuse an archive. Ids are stable: tests and users' scripts name them.
enum class ZipFault {
  no_end_record,
  second_end_record,
  trailing_data,
  comment,
  multi_disk,
  entry_count,
  directory_position,
  directory,
  zip64_locator,
  zip64_end_record,
  zip64_values,
  zip64_extra,
  extra_field,
  unicode_path,
  prefix,
  unlisted_data,
  overlap,
  local_header,
  out_of_bounds,
  name_mismatch,
  size_mismatch,
  crc_mismatch,
  method_mismatch,
  flags_mismatch,
  stored_size,
  descriptor,
  encrypted,
  flags,
  method,
  file_type,
  folder_mismatch,
  folder_data,
  file_and_folder,
  duplicate_name,
  empty_name,
  absolute_name,
  parent_name,
  name_component,
  backslash_name,
  nul_name,
  control_name,
  name_encoding,
  name_length,
  ratio,
  total_size,
  content,
};

struct ZipFaultEntry {
  ZipFault fault;
  std::string_view id;
  std::string_view cases;  ///< rows of tests/archives/run.py --list
  std::string_view meaning;
};

/// The one table of the ids, in the order of the enumeration.
inline constexpr std::array<ZipFaultEntry, 46> kZipFaults{{
    {ZipFault::no_end_record, "zip-no-end-record", "Z51",
     "no end record that reaches the file's end: not a zip file, or cut short"},
    {ZipFault::second_end_record, "zip-second-end-record", "Z15 Z17",
     "two end records both reach the end of the file"},
    {ZipFault::trailing_data, "zip-trailing-data", "Z13 Z17",
     "bytes other than NUL follow the end record"},
    {ZipFault::comment, "zip-comment", "Z15", "the archive comment holds control bytes or 'PK'"},
    {ZipFault::multi_disk, "zip-multi-disk", "Z42", "part of a multi-disk archive"},
    {ZipFault::entry_count, "zip-entry-count", "Z18",
     "the directory does not hold the number of entries it is said to"},
    {ZipFault::directory_position, "zip-directory-position", "Z17 Z19",
     "the directory does not lie where the end record says"},
    {ZipFault::directory, "zip-directory", "Z19", "a directory entry is malformed or cut short"},
    {ZipFault::zip64_locator, "zip-zip64-locator", "Z20",
     "ZIP64 end record without locator, or a locator that points elsewhere"},
    {ZipFault::zip64_end_record, "zip-zip64-end-record", "Z20 Z21",
     "ZIP64 end record missing, or of another size than 44"},
    {ZipFault::zip64_values, "zip-zip64-values", "Z22", "end record and ZIP64 end record differ"},
    {ZipFault::zip64_extra, "zip-zip64-extra", "Z23",
     "ZIP64 extra field missing, superfluous, doubled or of the wrong length"},
    {ZipFault::extra_field, "zip-extra-field", "Z26", "an extra field does not fit its block"},
    {ZipFault::unicode_path, "zip-unicode-path", "Z25",
     "a Unicode path field that differs from the name"},
    {ZipFault::prefix, "zip-prefix", "Z12 Z50", "bytes before the first member"},
    {ZipFault::unlisted_data, "zip-unlisted-data", "Z02 Z03",
     "bytes or a member that the directory does not list"},
    {ZipFault::overlap, "zip-overlap", "Z27", "members overlap each other or the directory"},
    {ZipFault::local_header, "zip-local-header", "Z04",
     "no local header where the directory points"},
    {ZipFault::out_of_bounds, "zip-out-of-bounds", "Z29 Z51",
     "a member runs past the start of the directory"},
    {ZipFault::name_mismatch, "zip-name-mismatch", "Z05",
     "local header and directory give different names"},
    {ZipFault::size_mismatch, "zip-size-mismatch", "Z06",
     "local header and directory give different sizes"},
    {ZipFault::crc_mismatch, "zip-crc-mismatch", "Z07",
     "local header and directory give different CRCs"},
    {ZipFault::method_mismatch, "zip-method-mismatch", "Z08",
     "local header and directory give different methods"},
    {ZipFault::flags_mismatch, "zip-flags-mismatch", "Z08",
     "local header and directory give different flags"},
    {ZipFault::stored_size, "zip-stored-size", "Z08", "a stored member with two different sizes"},
    {ZipFault::descriptor, "zip-descriptor", "Z11",
     "data descriptor missing, unsigned, unannounced, ambiguous or wrong"},
    {ZipFault::encrypted, "zip-encrypted", "Z42", "an encrypted member"},
    {ZipFault::flags, "zip-flags", "Z42", "a flag that wheels have no use for"},
    {ZipFault::method, "zip-method", "Z43", "a compression method other than stored and deflate"},
    {ZipFault::file_type, "zip-file-type", "Z40", "a symlink, device, socket or FIFO"},
    {ZipFault::folder_mismatch, "zip-folder-mismatch", "Z39",
     "name and attributes disagree about being a folder"},
    {ZipFault::folder_data, "zip-folder-data", "Z39", "a folder entry with content"},
    {ZipFault::file_and_folder, "zip-file-and-folder", "Z39", "one name is a file and a folder"},
    {ZipFault::duplicate_name, "zip-duplicate-name", "Z01", "one name twice"},
    {ZipFault::empty_name, "zip-empty-name", "Z36", "a member without a name"},
    {ZipFault::absolute_name, "zip-absolute-name", "Z30",
     "an absolute name or one with a drive letter"},
    {ZipFault::parent_name, "zip-parent-name", "Z31", "a name with a '..' component"},
    {ZipFault::name_component, "zip-name-component", "Z32",
     "a name with an empty or '.' component"},
    {ZipFault::backslash_name, "zip-backslash-name", "Z33", "a name with a backslash"},
    {ZipFault::nul_name, "zip-nul-name", "Z34", "a name with a NUL byte"},
    {ZipFault::control_name, "zip-control-name", "Z35",
     "a name with a control or format character"},
    {ZipFault::name_encoding, "zip-name-encoding", "Z37",
     "a name that is not UTF-8 or not marked as UTF-8"},
    {ZipFault::name_length, "zip-name-length", "Z53", "a name longer than file systems take"},
    {ZipFault::ratio, "zip-ratio", "Z28", "the contents are too large for the size of the archive"},
    {ZipFault::total_size, "zip-total-size", "Z28", "the contents are larger than the hard limit"},
    {ZipFault::content, "zip-content", "Z07 Z09 Z44",
     "a member's data is damaged or not what its headers say"},
}};

/// Throws Error(refused) with the fault's id.
[[noreturn]] void refuse(ZipFault fault, const std::string& what, std::string hint = {});

/// Runs `body`; an Error that leaves it gains the member's name. The name is made printable only
/// then, since most members are fine and there may be a hundred thousand.
template <class Body>
decltype(auto) in_member(std::string_view name, Body&& body) {
  try {
    return body();
  } catch (Error& error) {
    error.add_context(printable(name));
    throw;
  }
}

}  // namespace truewheel::wheel
