// SPDX-License-Identifier: Apache-2.0
#include "repair/host_bound.hpp"

#include "base/mapped_file.hpp"
#include "base/text.hpp"
#include "elf/image.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace truewheel::repair {
namespace {

struct HostBound {
  std::string_view glob;
  std::string_view why;
};

constexpr std::array kHostBound = {
    HostBound{"libGL.so*", "its other half is the graphics driver of the user's machine"},
    HostBound{"libGLX.so*", "its other half is the graphics driver of the user's machine"},
    HostBound{"libEGL.so*", "its other half is the graphics driver of the user's machine"},
    HostBound{"libGLdispatch.so*", "its other half is the graphics driver of the user's machine"},
    HostBound{"libOpenGL.so*", "its other half is the graphics driver of the user's machine"},
    HostBound{"libGLESv*.so*", "its other half is the graphics driver of the user's machine"},
    HostBound{"libdrm.so*", "it must match the kernel driver of the user's machine"},
    HostBound{"libdrm_*.so*", "it must match the kernel driver of the user's machine"},
    HostBound{"libnss_*.so*", "name services are configured by the user's machine"},
};

/// Companion files with which a library checks its own bytes; an edited or lone copy fails the
/// check.
bool has_integrity_file(const std::filesystem::path& source) {
  const auto name = source.filename().string();
  const auto stem = name.substr(0, name.find(".so"));
  std::error_code ignored;
  for (const auto& companion :
       {"." + name + ".hmac", "fipscheck/" + name + ".hmac", name + ".hmac", stem + ".chk"}) {
    if (std::filesystem::exists(source.parent_path() / companion, ignored)) return true;
  }
  return false;
}

/// Bytes of PT_TLS.
std::uint64_t thread_local_size(const std::string& path) {
  const MappedFile file(path);
  constexpr std::uint32_t kPtTls = 7;
  const elf::ElfImage image(file.bytes());
  const auto* segment = image.find_segment(kPtTls);
  return segment == nullptr ? 0 : segment->memsz;
}

/// "libp" of "libp.so.0.0.0": what the links of one library have in common.
std::string_view library_stem(std::string_view path) {
  const auto name = base_name(path);
  const auto suffix = name.find(".so");
  return suffix == std::string_view::npos ? std::string_view() : name.substr(0, suffix);
}

}  // namespace

void note_host_bound(const Graft& graft, const elf::ElfFacts& facts,
                     std::vector<Finding>& findings) {
  const auto warn = [&](const char* id, std::string what) {
    findings.push_back({id, Severity::warning, graft.source, std::move(what),
                        "--exclude leaves it to the user's machine"});
  };
  const auto name = std::string(base_name(graft.source));
  for (const auto& entry : kHostBound) {
    if (glob_match(entry.glob, name)) {
      warn("host-bound-library", "is bundled, but " + std::string(entry.why));
      break;
    }
  }
  // What glibc keeps for libraries loaded late: 512 bytes of optional static TLS (rtld.optional_
  // static_tls), shared by all of them.
  constexpr std::uint64_t kLittle = 512;
  if (facts.has_static_tls) {
    const auto size = thread_local_size(graft.source);
    if (size >= kLittle) {
      warn("static-tls",
           fmt::format("uses {} bytes of static TLS, of which a process has little to "
                       "give to libraries loaded late",
                       size));
    } else {
      findings.push_back({"static-tls",
                          Severity::note,
                          graft.source,
                          fmt::format("uses {} bytes of static TLS", size),
                          {}});
    }
  }
  if (has_integrity_file(graft.source)) {
    warn("integrity-file",
         "has an integrity file beside it and may refuse to work as an edited copy");
  }
}

void note_vendor_libraries(const std::vector<Graft>& grafts, const Options& options,
                           std::vector<Finding>& findings) {
  // What check calls bundled by mistake. A driver group's library is here by --include alone.
  constexpr std::array<std::string_view, 4> kVendors = {"rocm", "cuda", "rdma", "efa"};
  for (const auto& profile : policy::all_profiles()) {
    if (std::find(kVendors.begin(), kVendors.end(), profile.name) == kVendors.end()) continue;
    std::vector<std::string> names;
    for (const auto& graft : grafts) {
      const auto name = std::string(base_name(graft.source));
      const auto fits = [&](const std::string& glob) { return glob_match(glob, name); };
      const auto means_it = [&](const std::string& include) {
        return std::any_of(graft.known_as.begin(), graft.known_as.end(), [&](const auto& needed) {
          return deps::names_library(include, needed, graft.source);
        });
      };
      const auto& includes = options.inspect.includes;
      const bool is_asked_for = std::any_of(includes.begin(), includes.end(), means_it);
      if (is_asked_for || glob_match("libdrm*.so*", name)) continue;
      if (std::any_of(profile.globs.begin(), profile.globs.end(), fits))
        names.emplace_back(base_name(graft.known_as.front()));
    }
    if (names.empty()) continue;
    findings.push_back({"vendor-library",
                        Severity::warning,
                        {},
                        fmt::format("{} {} bundled, but {} what is installed on the user's machine",
                                    join(names, ", "), names.size() == 1 ? "is" : "are",
                                    names.size() == 1 ? "belongs to" : "belong to"),
                        "--profile " + profile.name + " leaves such libraries there; --include " +
                            join(names, " --include ") + " says that this is meant"});
  }
}

void note_risks(const std::string& where, const elf::ElfFacts& facts,
                std::vector<Finding>& findings) {
  if (facts.executable_stack && facts.kind == elf::FileKind::shared_object) {
    findings.push_back({"executable-stack", Severity::warning, where,
                        "asks for an executable stack, which glibc 2.41 and later refuse to dlopen",
                        "link it with -z noexecstack, or truewheel patchelf --clear-execstack"});
  }
  const auto& exports = facts.python_exports;
  const auto starts = [&](const char* text) {
    return std::any_of(exports.begin(), exports.end(),
                       [&](const std::string& name) { return name.starts_with(text); });
  };
  if (starts("PyInit_") && starts("Py_Initialize")) {
    findings.push_back({"static-libpython", Severity::warning, where,
                        "is an extension module that holds an interpreter of its own",
                        "build it without linking the static libpython"});
  }
}

void note_copies(const LoadedWheel& wheel, std::vector<Finding>& findings) {
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>,
           std::vector<std::string>>
      copies;
  for (const auto& member : wheel.members) {
    const std::string_view path = member.archive.name;
    const auto stem = library_stem(path);
    if (!member.facts || stem.empty()) continue;
    copies[{member.digest.sha256, folder_name(path), stem}].push_back(member.archive.name);
  }
  for (const auto& [key, names] : copies) {
    if (names.size() < 2) continue;
    findings.push_back({"library-copies", Severity::warning, names.front(),
                        "is in the wheel " + std::to_string(names.size()) +
                            " times under several names (" + join(names, ", ") +
                            "), which the loader takes for several libraries",
                        "have the build install the name that is needed, without its links"});
  }
}

}  // namespace truewheel::repair
