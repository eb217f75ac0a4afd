// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/byte_reader.hpp"
#include "elf/format.hpp"
#include "elf/image.hpp"
#include <truewheel/elf.hpp>
#include <truewheel/error.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

/// Small ELF files made with the compilers that are here, and damage done to them.
namespace truewheel::elf::test {

namespace fs = std::filesystem;

/// A fresh folder that goes with the test.
class Scratch {
 public:
  Scratch() {
    std::string pattern = (fs::temp_directory_path() / "truewheel-elf-XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  [[nodiscard]] fs::path operator/(const std::string& name) const { return path_ / name; }

  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path_ / name;
  }
  /// Runs a shell command in the folder; its output is shown only if it fails.
  [[nodiscard]] bool run(const std::string& command) const {
    const std::string line = "cd '" + path_.string() + "' && { " + command + "; } >log 2>&1";
    return std::system(line.c_str()) == 0;
  }
  [[nodiscard]] std::string log() const {
    std::ostringstream text;
    text << std::ifstream(path_ / "log").rdbuf();
    return text.str();
  }

 private:
  fs::path path_;
};

inline Buffer read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE(file.good());
  std::string text(static_cast<std::size_t>(fs::file_size(path)), '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  REQUIRE(file.gcount() == static_cast<std::streamsize>(text.size()));
  const Bytes bytes = as_bytes(text);
  return {bytes.begin(), bytes.end()};
}

/// `gcc <options> source.c -o out`; the test fails when that does.
inline Buffer build(const std::string& source, const std::string& options) {
  const Scratch scratch;
  scratch.write("source.c", source);
  const bool built = scratch.run("gcc -o out source.c " + options);
  INFO(scratch.log());
  REQUIRE(built);
  return read_file(scratch / "out");
}

/// The same for another machine with clang and lld, without a C library; nothing if they cannot.
inline Buffer build_for(const std::string& target, const std::string& source,
                        const std::string& options) {
  const Scratch scratch;
  scratch.write("source.c", source);
  scratch.write("versions", "OUR_1 { global: ours; local: *; };\n");
  if (!scratch.run("clang --target=" + target + " -fuse-ld=lld -nostdlib -fPIC -o out source.c " +
                   options)) {
    MESSAGE("skipped: no clang and lld for " << target);
    return {};
  }
  return read_file(scratch / "out");
}

/// A little library with imports, a version definition and a run path, for one of `kTargets`.
inline Buffer small_library(const std::string& target) {
  // MIPS has no DT_GNU_HASH in lld.
  const std::string hash = target.starts_with("mips") ? "sysv" : "both";
  return build_for(target,
                   "extern int theirs(int); extern int __attribute__((weak)) maybe(int);\n"
                   "int ours(int x) { return maybe ? maybe(x) : theirs(x); }\n",
                   "-shared -O1 -Wl,-soname,libours.so.1 -Wl,--version-script=versions "
                   "-Wl,-rpath,'$ORIGIN' -Wl,-z,max-page-size=4096 -Wl,--hash-style=" +
                       hash);
}

inline const std::vector<std::string> kTargets = {
    "x86_64-linux-gnu", "i686-linux-gnu",    "aarch64-linux-gnu", "powerpc64-linux-gnu",
    "mips-linux-gnu",   "powerpc-linux-gnu", "riscv64-linux-gnu"};

/// Writes a number into a file, in the file's own byte order.
template <class T>
void poke(Buffer& file, std::uint64_t offset, T value) {
  Buffer bytes;
  append_integer(bytes, value, file[5] == 1 ? ByteOrder::little : ByteOrder::big);
  REQUIRE(offset + bytes.size() <= file.size());
  std::copy(bytes.begin(), bytes.end(), file.begin() + static_cast<std::ptrdiff_t>(offset));
}

/// `file` with other bytes from `offset` on.
inline Buffer with_bytes_at(Buffer file, std::uint64_t offset, const Buffer& bytes) {
  REQUIRE(offset + bytes.size() <= file.size());
  std::copy(bytes.begin(), bytes.end(), file.begin() + static_cast<std::ptrdiff_t>(offset));
  return file;
}

/// `file` without its section header table.
inline Buffer without_sections(Buffer file) {
  const bool is_64 = file[4] == 2;
  if (is_64) {
    poke(file, 40, std::uint64_t{0});  // e_shoff
  } else {
    poke(file, 32, std::uint32_t{0});
  }
  poke(file, is_64 ? 60 : 48, std::uint32_t{0});  // e_shnum, e_shstrndx
  return file;
}

/// Where the table lies that an address tag of the dynamic section points at.
inline std::uint64_t table_offset(const Buffer& file, std::int64_t tag) {
  const ElfImage image(file);
  const auto address = image.dynamic_value(tag);
  REQUIRE(address.has_value());
  const auto offset = image.offset_of(*address);
  REQUIRE(offset.has_value());
  return *offset;
}

/// Where the value of a dynamic entry lies.
inline std::uint64_t dynamic_value_offset(const Buffer& file, std::int64_t tag) {
  const ElfImage image(file);
  for (const DynamicEntry& entry : image.dynamic()) {
    if (entry.tag == tag) return entry.file_offset + image.word_size();
  }
  FAIL("no such dynamic entry");
  return 0;
}

/// The id of the refusal, or "" when inspect() accepts the file.
inline std::string refusal(const Buffer& file) {
  try {
    static_cast<void>(inspect(file));
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::refused);
    return error.id();
  }
  return {};
}

/// Everything but dlopen notes, which have no comparison, and are compared by their first name.
inline bool same_facts(const ElfFacts& a, const ElfFacts& b) {
  const auto first = [](const ElfFacts& facts) {
    std::vector<std::string> names;
    for (const DlopenNote& note : facts.dlopen_notes) {
      names.push_back(note.sonames.front() + " " + note.feature + " " + note.priority);
    }
    return names;
  };
  return a.kind == b.kind && a.bits == b.bits && a.little_endian == b.little_endian &&
         a.type == b.type && a.machine == b.machine && a.flags == b.flags && a.os_abi == b.os_abi &&
         a.interpreter == b.interpreter && a.soname == b.soname && a.needed == b.needed &&
         a.rpath == b.rpath && a.runpath == b.runpath && a.version_needs == b.version_needs &&
         a.version_definitions == b.version_definitions && a.imports == b.imports &&
         a.python_exports == b.python_exports && a.isa_needed == b.isa_needed &&
         a.dt_flags == b.dt_flags && a.dt_flags_1 == b.dt_flags_1 && a.build_id == b.build_id &&
         a.package_note == b.package_note && a.filtees == b.filtees && a.auditors == b.auditors &&
         a.executable_stack == b.executable_stack && a.has_stack_note == b.has_stack_note &&
         a.has_static_tls == b.has_static_tls && a.has_text_relocations == b.has_text_relocations &&
         first(a) == first(b);
}

}  // namespace truewheel::elf::test
