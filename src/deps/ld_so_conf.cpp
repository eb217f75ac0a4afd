// SPDX-License-Identifier: Apache-2.0
#include "deps/ld_so_conf.hpp"

#include "base/byte_reader.hpp"
#include "base/folder_names.hpp"
#include "base/mapped_file.hpp"
#include "base/text.hpp"
#include <truewheel/error.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>

namespace truewheel::deps {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBlanks = " \t\r\f\v";

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

/// The text behind a keyword and a blank; nullopt if the line does not begin so.
std::optional<std::string_view> behind_keyword(std::string_view line, std::string_view keyword) {
  if (!line.starts_with(keyword)) return std::nullopt;
  line.remove_prefix(keyword.size());
  if (line.empty() || kBlanks.find(line.front()) == std::string_view::npos) return std::nullopt;
  return trim(line);
}

std::optional<std::string> read_text(const Sysroot& sysroot, const std::string& path) {
  const auto real = sysroot.real_path(sysroot.inside(path));
  if (!real) return std::nullopt;
  std::error_code error;
  if (!fs::is_regular_file(*real, error) || error) return std::nullopt;
  try {
    return std::string(as_text(MappedFile(*real).bytes()));
  } catch (const Error&) {
    return std::nullopt;  // ldconfig warns about an unreadable file and goes on
  }
}

/// glob(3) below the sysroot, sorted by bytes so that no locale decides the order.
class Glob {
 public:
  explicit Glob(const Sysroot& sysroot) : sysroot_(sysroot) {}

  std::vector<std::string> expand(const std::string& pattern) {
    std::vector<std::string> parts;
    for (auto& part : split(pattern, '/')) {
      if (!part.empty()) parts.push_back(std::move(part));
    }
    descend("", parts, 0);
    std::sort(found_.begin(), found_.end());
    return std::move(found_);
  }

 private:
  void descend(const std::string& folder, const std::vector<std::string>& parts, std::size_t next) {
    if (next == parts.size()) {
      found_.push_back(folder);
      return;
    }
    const std::string& part = parts[next];
    if (part.find_first_of("*?[") == std::string::npos) {
      const std::string path = folder + '/' + part;
      if (sysroot_.real_path(sysroot_.inside(path))) descend(path, parts, next + 1);
      return;
    }
    for (const auto& name : names_in(folder)) {
      const bool is_hidden = name.starts_with('.') && !part.starts_with('.');
      if (!is_hidden && glob_match(part, name)) descend(folder + '/' + name, parts, next + 1);
    }
  }

  [[nodiscard]] std::vector<std::string> names_in(const std::string& folder) const {
    const auto real = sysroot_.real_path(sysroot_.inside(folder.empty() ? "/" : folder));
    if (!real) return {};
    return folder_names(*real).value_or(std::vector<std::string>());
  }

  const Sysroot& sysroot_;
  std::vector<std::string> found_;
};

class ConfReader {
 public:
  explicit ConfReader(const Sysroot& sysroot) : sysroot_(sysroot) {}

  void read(const std::string& path) {
    if (!files_.insert(path).second) return;  // a file that includes itself
    const auto text = read_text(sysroot_, path);
    if (!text) return;
    for (const auto& raw : split(*text, '\n')) {
      const std::string_view line = trim(std::string_view(raw).substr(0, raw.find('#')));
      if (line.empty()) continue;
      if (const auto patterns = behind_keyword(line, "include")) {
        include(*patterns, path);
      } else if (!behind_keyword(line, "hwcap")) {
        add(line);
      }
    }
  }

  std::vector<std::string> take() { return std::move(folders_); }

 private:
  void include(std::string_view patterns, const std::string& from) {
    while (!patterns.empty()) {
      const auto end = std::min(patterns.find_first_of(kBlanks), patterns.size());
      std::string pattern(patterns.substr(0, end));
      patterns = trim(patterns.substr(end));
      if (!pattern.starts_with('/')) pattern = std::string(folder_name(from)) + '/' + pattern;
      for (const auto& file : Glob(sysroot_).expand(pattern)) read(file);
    }
  }

  void add(std::string_view folder) {
    folder = trim(folder.substr(0, folder.find('=')));
    while (folder.size() > 1 && folder.ends_with('/')) folder.remove_suffix(1);
    // ldconfig refuses relative folders ("need absolute file name"), so that the current one never
    // decides.
    if (!folder.starts_with('/')) return;
    if (seen_.emplace(folder).second) folders_.emplace_back(folder);
  }

  const Sysroot& sysroot_;
  std::set<std::string> files_;
  std::set<std::string, std::less<>> seen_;
  std::vector<std::string> folders_;
};

}  // namespace

std::vector<std::string> ld_so_conf_folders(const Sysroot& sysroot) {
  ConfReader reader(sysroot);
  reader.read("/etc/ld.so.conf");
  return reader.take();
}

std::vector<std::string> musl_folders(const Sysroot& sysroot, const std::string& musl_arch) {
  const auto text =
      musl_arch.empty() ? std::nullopt : read_text(sysroot, "/etc/ld-musl-" + musl_arch + ".path");
  if (!text) return {"/lib", "/usr/local/lib", "/usr/lib"};  // sys_path in musl's ldso/dynlink.c
  std::vector<std::string> folders;
  for (const auto& line : split(*text, '\n')) {
    for (auto& folder : split(line, ':')) {
      if (folder.starts_with('/')) folders.push_back(std::move(folder));
    }
  }
  return folders;
}

}  // namespace truewheel::deps
