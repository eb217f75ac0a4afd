// SPDX-License-Identifier: Apache-2.0
#include "deps/sysroot.hpp"

#include "base/text.hpp"

#include <deque>
#include <system_error>
#include <vector>

namespace truewheel::deps {
namespace {

constexpr int kMostLinks = 40;  // the kernel's MAXSYMLINKS

/// Walks `path` from `root` (""  is the machine's), following links as a process whose root
/// directory that is.
std::optional<std::string> follow_links(const std::string& root, std::string_view path) {
  namespace fs = std::filesystem;
  std::deque<std::string> pending;
  for (auto& part : split(path, '/')) pending.push_back(std::move(part));

  std::vector<std::string> walked;
  const auto path_of = [&] { return walked.empty() ? root : root + '/' + join(walked, "/"); };
  int links = 0;
  while (!pending.empty()) {
    const std::string part = std::move(pending.front());
    pending.pop_front();
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      if (!walked.empty()) walked.pop_back();
      continue;
    }
    walked.push_back(part);
    std::error_code error;
    const auto status = fs::symlink_status(path_of(), error);
    if (error || status.type() == fs::file_type::not_found) return std::nullopt;
    if (status.type() != fs::file_type::symlink) continue;

    if (++links > kMostLinks) return std::nullopt;
    const std::string target = fs::read_symlink(path_of(), error).string();
    if (error) return std::nullopt;
    walked.pop_back();
    if (target.starts_with('/')) walked.clear();
    auto target_parts = split(target, '/');
    pending.insert(pending.begin(), target_parts.begin(), target_parts.end());
  }
  const std::string result = path_of();
  return result.empty() ? "/" : result;
}

}  // namespace

std::string absolute_path(std::string_view path) {
  if (path.starts_with('/')) return std::string(path);
  const std::string here = std::filesystem::current_path().string();
  return path.empty() ? here : here + '/' + std::string(path);
}

Sysroot::Sysroot(const std::filesystem::path& root) {
  if (root.empty()) return;
  const std::string given = absolute_path(root.string());
  root_ = follow_links("", given).value_or(given);
  while (root_.ends_with('/')) root_.pop_back();
}

bool Sysroot::is_below(std::string_view host_path) const {
  return host_path == root_ ||
         (host_path.starts_with(root_) && host_path.substr(root_.size()).starts_with('/'));
}

std::string Sysroot::inside(std::string_view path) const {
  if (!path.starts_with('/') || is_below(path)) return std::string(path);
  return root_ + std::string(path);
}

std::optional<std::string> Sysroot::real_path(std::string_view host_path) const {
  if (!is_below(host_path)) return follow_links("", host_path);
  return follow_links(root_, host_path.substr(root_.size()));
}

}  // namespace truewheel::deps
