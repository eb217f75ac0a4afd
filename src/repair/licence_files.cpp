// SPDX-License-Identifier: Apache-2.0
#include "repair/licence_files.hpp"

#include "base/byte_reader.hpp"
#include "base/hash.hpp"
#include "base/mapped_file.hpp"
#include "base/text.hpp"
#include "base/unicode.hpp"
#include "deps/sysroot.hpp"
#include <truewheel/error.hpp>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace truewheel::repair {
namespace {

// The longest copyright files of Debian have two megabytes.
constexpr std::uint64_t kLargest = 16U << 20;

/// What every file system can have as a name: versions hold colons and tildes.
std::string plain_name(std::string_view text) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+.";
  std::string name(text);
  std::replace_if(
      name.begin(), name.end(), [&](char c) { return kPlain.find(c) == std::string_view::npos; },
      '_');
  while (name.ends_with('.')) name.back() = '_';
  return name;
}

std::optional<std::string> read_text(const deps::Sysroot& sysroot, const std::string& path) {
  const auto real = sysroot.real_path(sysroot.inside(path));
  std::error_code ignored;
  if (!real || !std::filesystem::is_regular_file(*real, ignored)) return std::nullopt;
  try {
    const MappedFile file(*real);
    if (file.bytes().empty() || file.bytes().size() > kLargest) return std::nullopt;
    return std::string(as_text(file.bytes()));
  } catch (const Error&) {
    return std::nullopt;  // a licence that may not be read is like one that is not installed
  }
}

}  // namespace

LicenceFiles::LicenceFiles(const LoadedWheel& wheel, std::string libs_folder,
                           const std::filesystem::path& sysroot)
    : folder_(wheel.dist_info_file("licenses/") + std::move(libs_folder)), sysroot_(sysroot) {
  const auto licences = wheel.dist_info_file("licenses/");
  for (const auto& member : wheel.members) {
    const auto& name = member.archive.name;
    taken_.insert(collision_key(name));
    if (name.starts_with(licences)) by_digest_.emplace(member.digest.sha256, name);
  }
}

std::vector<std::string> LicenceFiles::members_for(const PackageOwner& owner) {
  const deps::Sysroot sysroot(sysroot_);
  const auto package = folder_ + "/" + plain_name(owner.name + "-" + owner.version);
  std::vector<std::string> members;
  for (const auto& path : owner.licence_files) {
    const auto text = read_text(sysroot, path);
    if (!text) continue;
    members.push_back(name_for(package + "/" + plain_name(base_name(path)), *text));
  }
  std::sort(members.begin(), members.end());
  members.erase(std::unique(members.begin(), members.end()), members.end());
  return members;
}

/// The file with that content, if there is one: the packages of one source have one licence. Else
/// the wished name, unless other content has it: then one with the content's digest.
std::string LicenceFiles::name_for(const std::string& wished, const std::string& text) {
  const auto digest = sha256(as_bytes(text));
  if (const auto same = by_digest_.find(base64url(digest)); same != by_digest_.end()) {
    return same->second;
  }
  const auto with_digest = wished + "-" + hex(digest).substr(0, 8);
  for (const auto& name : {wished, with_digest}) {
    if (!taken_.insert(collision_key(name)).second) continue;
    texts_[name] = text;
    by_digest_.emplace(base64url(digest), name);
    return name;
  }
  throw Error(ErrorKind::unfit, "licence-name-taken",
              printable(wished) + ": the licence of a bundled library has no free name");
}

std::vector<AddedFile> LicenceFiles::take() {
  std::vector<AddedFile> files;
  for (auto& [member, text] : texts_) files.push_back({member, std::move(text)});
  texts_.clear();
  return files;
}

}  // namespace truewheel::repair
