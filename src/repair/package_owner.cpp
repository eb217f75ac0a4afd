// SPDX-License-Identifier: Apache-2.0
#include "repair/package_owner.hpp"

#include "base/file_descriptor.hpp"
#include "base/folder_names.hpp"
#include "base/text.hpp"
#include "repair/package_databases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace truewheel::repair {
namespace {

namespace fs = std::filesystem;

WantedFiles wanted_paths(const std::vector<std::string>& files, const fs::path& sysroot) {
  std::string root;
  if (!sysroot.empty()) {
    std::error_code failed;
    root = fs::canonical(sysroot, failed).string();
    if (failed) return {};
    if (root == "/") root.clear();
  }
  WantedFiles wanted;
  for (const auto& file : files) {
    if (!file.starts_with(root + "/")) continue;
    const auto path = file.substr(root.size());
    wanted.emplace(path, file);
    constexpr std::string_view kUsr = "/usr";
    wanted.emplace(
        path.starts_with("/usr/lib") ? path.substr(kUsr.size()) : std::string(kUsr) + path, file);
  }
  return wanted;
}

/// ID of os-release, which package URLs use as the namespace.
std::string distribution_of(const deps::Sysroot& system) {
  for (const char* path : {"/etc/os-release", "/usr/lib/os-release"}) {
    std::string id;
    read_lines(place(system, path), [&](std::string_view line) {
      const auto value = value_of(line, "ID=");
      if (!value) return;
      id = *value;
      std::erase_if(id, [](char c) { return c == '"' || c == '\''; });
    });
    if (!id.empty()) return id;
  }
  return {};
}

}  // namespace

fs::path place(const deps::Sysroot& system, std::string_view path) {
  return system.real_path(system.inside(path)).value_or(std::string());
}

void read_lines(const fs::path& path, const std::function<void(std::string_view)>& use) {
  // Thousands of small files are read this way: four calls are enough for most of them. A FIFO must
  // not wait for a writer (O_NONBLOCK).
  constexpr std::size_t kLongest = std::size_t{1} << 20U;
  const FileDescriptor file(
      uninterrupted([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); }));
  struct stat status {};
  if (!file.is_open() || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return;

  std::string begun;  // a line whose end is not read yet
  bool is_too_long = false;
  const auto end_line = [&](std::string_view end) {
    if (begun.empty()) {
      if (!is_too_long) use(end);
    } else {
      use(begun.append(end));
      begun.clear();
    }
    is_too_long = false;
  };
  std::array<char, 16384> piece;
  while (true) {
    const auto size = uninterrupted([&] { return ::read(file.get(), piece.data(), piece.size()); });
    if (size <= 0) break;
    std::string_view rest(piece.data(), static_cast<std::size_t>(size));
    for (auto end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
      end_line(rest.substr(0, end));
      rest.remove_prefix(end + 1);
    }
    if (is_too_long) continue;
    begun.append(rest);
    is_too_long = begun.size() > kLongest;
    if (is_too_long) begun = {};
  }
  if (!begun.empty()) end_line({});
}

std::optional<std::string> value_of(std::string_view line, std::string_view key) {
  if (!line.starts_with(key)) return std::nullopt;
  return std::string(line.substr(key.size()));
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& name : folder_names(folder).value_or(std::vector<std::string>())) {
    files.push_back(folder / name);
  }
  return files;
}

std::map<std::string, PackageOwner> find_package_owners(const std::vector<std::string>& files,
                                                        const fs::path& sysroot, unsigned jobs) {
  const deps::Sysroot system(sysroot);
  const auto wanted = wanted_paths(files, sysroot);
  if (wanted.empty()) return {};
  auto owners = dpkg_owners(system, wanted, jobs);
  owners.merge(apk_owners(system, wanted));
  owners.merge(rpm_owners(system, wanted));
  const auto distribution = owners.empty() ? std::string() : distribution_of(system);
  for (auto& [file, owner] : owners) {
    owner.distribution = distribution;
    std::sort(owner.licence_files.begin(), owner.licence_files.end());
  }
  return owners;
}

std::string url_escape(std::string_view text) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_~:";
  std::string escaped;
  for (const char c : text) {
    if (kPlain.find(c) != std::string_view::npos) {
      escaped += c;
    } else {
      escaped += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return escaped;
}

std::string package_url(const PackageOwner& owner) {
  std::string version = owner.version;
  std::vector<std::string> qualifiers;
  if (!owner.architecture.empty()) qualifiers.push_back("arch=" + url_escape(owner.architecture));
  // "1:2.0-3": package URLs of rpm keep the epoch apart; those of deb do not.
  const auto colon = version.find(':');
  if (owner.type == "rpm" && colon != std::string::npos) {
    qualifiers.push_back("epoch=" + url_escape(version.substr(0, colon)));
    version.erase(0, colon + 1);
  }
  std::string url = "pkg:" + url_escape(owner.type) + "/";
  if (!owner.distribution.empty()) url += url_escape(owner.distribution) + "/";
  url += url_escape(owner.name);
  if (!version.empty()) url += "@" + url_escape(version);
  if (!qualifiers.empty()) url += "?" + join(qualifiers, "&");
  return url;
}

}  // namespace truewheel::repair
