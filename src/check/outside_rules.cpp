// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "check/requirements.hpp"
#include "check/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

namespace truewheel::check {
namespace {

std::string human_size(std::uint64_t bytes) {
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

/// Groups of which a wheel's own copy does not work, or not with the machine's other half.
const policy::Profile* machine_group_of(const std::string& name) {
  constexpr std::array<std::string_view, 6> kGroups = {"rocm-driver", "cuda-driver", "rdma",
                                                       "efa",         "rocm",        "cuda"};
  for (const auto& profile : policy::all_profiles()) {
    if (std::find(kGroups.begin(), kGroups.end(), profile.name) == kGroups.end()) continue;
    for (const auto& glob : profile.globs) {
      if (glob_match(glob, name)) return &profile;
    }
  }
  return nullptr;
}

/// True when METADATA asks for a distribution that installs into one of the profile's site folders:
/// "nvidia-cublas-cu12" for nvidia/cublas/lib, "torch" for torch/lib.
bool is_required(const Subject& subject, const policy::Profile& profile) {
  return std::any_of(profile.site_entries.begin(), profile.site_entries.end(),
                     [&](std::string_view entry) {
                       constexpr std::string_view kSite = "site:";
                       if (entry.starts_with(kSite)) entry.remove_prefix(kSite.size());
                       return !who_brings(subject.requires_dist, entry).empty();
                     });
}

}  // namespace

void check_bundled_system_libraries(const Subject& subject, const Options& options, Sink& sink) {
  static_cast<void>(options);
  if (subject.kind == Subject::Kind::file) return;
  for (std::size_t i = 0; i < subject.files.size(); ++i) {
    const auto& path = subject.path_of(i);
    if (subject.kind == Subject::Kind::folder && !is_bundled(path)) continue;
    const auto name = name_without_hash(std::string(base_name(path)));
    const auto* group = machine_group_of(name);
    // libdrm speaks to every kernel's drivers, not to one vendor's alone: G005 warns of it.
    if (group == nullptr || glob_match("libdrm*.so*", name)) continue;
    // NVIDIA's and AMD's own wheels are where the group's libraries are meant to be.
    const bool is_provider = std::any_of(
        group->site_entries.begin(), group->site_entries.end(), [&](const std::string& entry) {
          const auto folder = entry.starts_with("site:") ? entry.substr(5) : entry;
          return path.starts_with(folder + "/");
        });
    if (is_provider) continue;
    // A plain name may be what the distribution is made of (NVIDIA's and AMD's own wheels); a
    // driver's library is nobody's to ship.
    const bool is_graft = is_bundled(path);
    const auto severity = is_graft || group->is_driver ? Severity::error : Severity::warning;
    sink.add(severity, path, name,
             fmt::format("{} is {}, but it belongs to the user's machine (group {})",
                         printable(name), is_graft ? "bundled" : "in the wheel", group->name),
             "truewheel repair --profile " + group->name + " leaves it out");
  }
}

void check_dead_patterns(const Subject& subject, const Options& options, Sink& sink) {
  for (const auto& pattern : subject.graph.patterns) {
    if (pattern.hits != 0 || pattern.origin != "--exclude") continue;
    sink.add(options.dead_patterns_are_errors ? Severity::error : Severity::warning, {},
             pattern.glob,
             fmt::format("--exclude {} matches no needed library", printable(pattern.glob)),
             "--exclude 'optional:" + pattern.glob + "' says that it need not");
  }
}

void check_budgets(const Subject& subject, const Options& options, Sink& sink) {
  if (options.max_size && subject.size > *options.max_size) {
    sink.add(Severity::error, {}, human_size(subject.size),
             fmt::format("has {} bytes, {} more than its budget of {}", subject.size,
                         subject.size - *options.max_size, *options.max_size),
             "--max-size sets the budget");
  }
  if (!options.max_bundled) return;
  std::uint64_t bundled = 0;
  std::string largest;
  std::uint64_t largest_size = 0;
  for (const auto& file : subject.files) {
    const auto& member = subject.members[file.member];
    if (!is_bundled(member.path)) continue;
    bundled += member.size;
    if (member.size <= largest_size) continue;
    largest_size = member.size;
    largest = member.path;
  }
  if (bundled <= *options.max_bundled) return;
  sink.add(Severity::error, largest, human_size(bundled),
           fmt::format("bundled libraries have {} bytes, {} more than their budget; the largest is "
                       "{} ({})",
                       bundled, bundled - *options.max_bundled, printable(largest),
                       human_size(largest_size)),
           "truewheel repair --exclude leaves libraries out");
}

void check_undeclared_providers(const Subject& subject, const Options&, Sink& sink) {
  std::map<std::string, std::set<std::string>> needed;
  std::map<std::string, std::string> first;
  for (const auto& link : subject.links) {
    if (link.reach != Reach::outside || link.provider != Provider::vendor) continue;
    needed[link.provided_by].insert(link.needed);
    first.emplace(link.provided_by, subject.path_of(link.file));
  }
  for (const auto& [group, libraries] : needed) {
    const auto& profile = policy::find_profile(group.substr(sizeof("profile ") - 1));
    if (is_required(subject, profile)) continue;
    const std::vector<std::string> names(libraries.begin(), libraries.end());
    sink.add(Severity::warning, first[group], names.front(),
             fmt::format("{} {} left to the user's machine (group {}), and nothing says who brings "
                         "{}: no Requires-Dist, no --profile",
                         printable(join(names, ", ")), names.size() > 1 ? "are" : "is",
                         profile.name, names.size() > 1 ? "them" : "it"),
             "--profile " + profile.name + " says that the user's machine has it");
  }
}

void check_host_bound_libraries(const Subject& subject, const Options&, Sink& sink) {
  constexpr std::array<std::pair<std::string_view, const char*>, 9> kBound = {{
      {"libGL.so*", "its other half is the graphics driver of the user's machine"},
      {"libGLX.so*", "its other half is the graphics driver of the user's machine"},
      {"libEGL.so*", "its other half is the graphics driver of the user's machine"},
      {"libGLdispatch.so*", "its other half is the graphics driver of the user's machine"},
      {"libOpenGL.so*", "its other half is the graphics driver of the user's machine"},
      {"libvulkan.so*", "its other half is the graphics driver of the user's machine"},
      {"libdrm*.so*", "it must match the kernel driver of the user's machine"},
      {"libnss_*.so*", "name services are configured by the user's machine"},
      {"libc.so.6", "the C library and the dynamic linker of a process must be one build"},
  }};
  for (std::size_t i = 0; i < subject.files.size(); ++i) {
    const auto& path = subject.path_of(i);
    if (!is_bundled(path)) continue;
    const auto name = name_without_hash(std::string(base_name(path)));
    for (const auto& [glob, why] : kBound) {
      if (!glob_match(glob, name)) continue;
      sink.add(Severity::warning, path, name,
               fmt::format("{} is bundled, but {}", printable(name), why),
               "truewheel repair --exclude " + name);
    }
  }
}

void check_unsupported_libraries(const Subject& subject, const Options&, Sink& sink) {
  // Branches that get no more security fixes from their projects
  // (openssl.org/policies/releasestrat; python.org/dev/peps is not asked: an interpreter is never
  // bundled).
  constexpr std::array<std::pair<std::string_view, const char*>, 4> kEnded = {{
      {"libssl.so.1.*", "OpenSSL 1.x, which gets no fixes since September 2023"},
      {"libcrypto.so.1.*", "OpenSSL 1.x, which gets no fixes since September 2023"},
      {"libssl.so.10", "OpenSSL 1.0, which gets no fixes since 2019"},
      {"libcrypto.so.10", "OpenSSL 1.0, which gets no fixes since 2019"},
  }};
  for (std::size_t i = 0; i < subject.files.size(); ++i) {
    const auto& path = subject.path_of(i);
    const auto name = name_without_hash(std::string(base_name(path)));
    for (const auto& [glob, what] : kEnded) {
      if (!glob_match(glob, name)) continue;
      sink.add(Severity::warning, path, name, fmt::format("{} is {}", printable(name), what),
               "build against a supported branch");
      break;
    }
  }
}

}  // namespace truewheel::check
