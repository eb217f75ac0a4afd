// SPDX-License-Identifier: Apache-2.0
#include "wheel/zip_name.hpp"

#include "base/text.hpp"
#include "base/unicode.hpp"
#include "wheel/zip_fault.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace truewheel::wheel {
namespace {

constexpr std::size_t kMaxName = 4096;      // PATH_MAX of Linux
constexpr std::size_t kMaxComponent = 255;  // NAME_MAX of every common file system

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

void check_characters(std::string_view name, std::uint16_t flags) {
  if (name.find('\0') != std::string_view::npos) {
    refuse(ZipFault::nul_name, "the name holds a NUL byte");
  }
  const bool ascii = is_ascii(name);
  for (std::string_view rest = name; !rest.empty();) {
    const auto code_point = take_code_point(rest);
    if (!code_point) refuse(ZipFault::name_encoding, "the name is not UTF-8");
    if (is_control_or_format(*code_point)) {
      refuse(ZipFault::control_name, "the name holds a control or format character");
    }
  }
  if (!ascii && (flags & kFlagUtf8) == 0) {
    refuse(ZipFault::name_encoding, "the name is not ASCII and not marked as UTF-8");
  }
  if (name.find('\\') != std::string_view::npos) {
    refuse(ZipFault::backslash_name, "the name holds a backslash");
  }
}

// Whether `inner` lies in the folder that `outer`, a file's name, would have to be.
bool is_inside(std::string_view inner, std::string_view outer) {
  return inner.size() > outer.size() && inner[outer.size()] == '/' && inner.starts_with(outer);
}

// Order in which everything inside `a/` follows `a` at once: a slash comes before every other byte.
bool folder_order(std::string_view a, std::string_view b) {
  const auto [at_a, at_b] = std::ranges::mismatch(a, b);
  if (at_b == b.end()) return false;
  if (at_a == a.end()) return true;
  const auto rank = [](char c) { return c == '/' ? 0 : static_cast<unsigned char>(c) + 1; };
  return rank(*at_a) < rank(*at_b);
}

}  // namespace

void check_member_name(std::string_view name, std::uint16_t flags, Oddities& oddities) {
  if (name.empty()) refuse(ZipFault::empty_name, "a member has no name");
  check_characters(name, flags);
  if (name.front() == '/' || (name.size() >= 2 && name[1] == ':' && is_letter(name[0]))) {
    refuse(ZipFault::absolute_name, "the name is absolute");
  }
  if (name.size() > kMaxName) {
    refuse(ZipFault::name_length, fmt::format("the name is longer than {} bytes", kMaxName));
  }
  std::string_view rest = name;
  if (rest.ends_with('/')) rest.remove_suffix(1);
  for (bool more = true; more;) {
    const auto slash = rest.find('/');
    const std::string_view component = rest.substr(0, slash);
    more = slash != std::string_view::npos;
    if (more) rest.remove_prefix(slash + 1);
    if (component == "..") refuse(ZipFault::parent_name, "the name has a '..' component");
    if (component.empty() || component == ".") {
      refuse(ZipFault::name_component, "the name has an empty or '.' component");
    }
    if (component.size() > kMaxComponent) {
      refuse(ZipFault::name_length,
             fmt::format("the name has a component longer than {} bytes", kMaxComponent));
    }
    if (component.back() == '.' || component.back() == ' ') oddities.windows_name.see(name);
  }
}

void check_collisions(const std::vector<DirectoryEntry>& entries, Oddities& oddities) {
  std::vector<std::string_view> names;
  names.reserve(entries.size());
  for (const auto& entry : entries) names.push_back(entry.name);
  std::ranges::sort(names, folder_order);
  for (std::size_t i = 1; i < names.size(); ++i) {
    if (names[i] == names[i - 1]) {
      refuse(ZipFault::duplicate_name,
             fmt::format("'{}' stands in the directory twice", printable(names[i])));
    }
    if (is_inside(names[i], names[i - 1])) {
      refuse(ZipFault::file_and_folder, fmt::format("'{}' is a file and also the folder of '{}'",
                                                    printable(names[i - 1]), printable(names[i])));
    }
  }

  struct Keyed {
    std::string key;
    std::string_view name;
  };
  std::vector<Keyed> keyed;
  keyed.reserve(names.size());
  for (const auto name : names) keyed.push_back({collision_key(name), name});
  std::ranges::sort(keyed, folder_order, &Keyed::key);
  for (std::size_t i = 1; i < keyed.size(); ++i) {
    if (keyed[i].key == keyed[i - 1].key || is_inside(keyed[i].key, keyed[i - 1].key)) {
      oddities.name_collision.see(keyed[i].name);
    }
  }
}

}  // namespace truewheel::wheel
