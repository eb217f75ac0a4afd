// SPDX-License-Identifier: Apache-2.0
#include "repair/host_bound.hpp"

#include "base/text.hpp"

#include <array>
#include <filesystem>
#include <string_view>

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
  if (facts.executable_stack) {
    warn("executable-stack",
         "asks for an executable stack, which glibc 2.41 and later refuse to dlopen");
  }
  if (facts.has_static_tls) {
    warn("static-tls",
         "uses static TLS, of which a process has little to give to libraries loaded late");
  }
  if (has_integrity_file(graft.source)) {
    warn("integrity-file",
         "has an integrity file beside it and may refuse to work as an edited copy");
  }
}

}  // namespace truewheel::repair
