// SPDX-License-Identifier: Apache-2.0
#include "policy/tables.hpp"

#include "policy/data_lines.hpp"
#include <truewheel/error.hpp>
#include <truewheel/policy.hpp>

#include <charconv>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace truewheel::policy {
namespace {

using Words = std::vector<std::string_view>;

[[noreturn]] void bad_data(std::string_view keyword) {
  throw Error(ErrorKind::internal, "policy-data",
              "the built-in policy table has a bad line '" + std::string(keyword) + "'");
}

std::string_view section_name(deps::Libc libc) {
  switch (libc) {
    case deps::Libc::glibc:
      return "glibc";
    case deps::Libc::musl:
      return "musl";
    case deps::Libc::bionic:
      return "bionic";
  }
  return {};
}

int to_int(std::string_view text) {
  int value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size()) bad_data(text);
  return value;
}

// Reads one libc's section and one architecture's. Policies come oldest first and each line says
// only what changes from one to the next, so the running sets are copied into each policy when it
// is complete.
class TableReader {
 public:
  TableReader(std::string_view libc, std::string_view architecture)
      : libc_section_("[" + std::string(libc) + "]"),
        architecture_section_("[" + std::string(libc) + " " + std::string(architecture) + "]") {}

  PolicyList read() {
    for_each_data_line(
        data::policies, [this](const Words& words) { line(words); },
        [this](std::string_view text) {
          return section_ != Section::other || text.starts_with('[');
        });
    PolicyList here;
    std::map<std::string, std::set<std::string>> versions;
    std::set<std::string> libraries;
    for (Policy& policy : policies_) {
      for (const std::string& library : policy.allowed_libraries) {
        const auto renamed = renames_.find(library);
        libraries.insert(renamed == renames_.end() ? library : renamed->second);
      }
      if (!exists_.contains(policy.name)) continue;
      for (auto& [family, added] : added_versions_[policy.name]) {
        versions[family].merge(added);
      }
      policy.allowed_libraries = libraries;
      policy.symbol_versions = versions;
      here.push_back(std::make_shared<const Policy>(std::move(policy)));
    }
    return here;
  }

 private:
  enum class Section { other, libc, architecture };

  void line(const Words& words) {
    if (words[0].starts_with('[')) {
      std::string name(words[0]);
      if (words.size() > 1) name += " " + std::string(words[1]);
      section_ = name == libc_section_           ? Section::libc
                 : name == architecture_section_ ? Section::architecture
                                                 : Section::other;
    } else if (section_ == Section::libc) {
      libc_line(words);
    } else if (section_ == Section::architecture) {
      architecture_line(words);
    }
  }

  void libc_line(const Words& words) {
    if (words.size() < 3) bad_data(words[0]);
    if (words[0] == "policy") {
      Policy policy;
      policy.name = words[1];
      policy.priority = to_int(words[2]);
      policy.aliases.assign(words.begin() + 3, words.end());
      if (!policies_.empty()) policy.blacklisted_symbols = policies_.back().blacklisted_symbols;
      policies_.push_back(std::move(policy));
      return;
    }
    if (policies_.empty() || policies_.back().name != words[1]) bad_data(words[0]);
    Policy& policy = policies_.back();
    if (words[0] == "libraries") {
      policy.allowed_libraries.insert(words.begin() + 2, words.end());
    } else if (words[0] == "forbidden") {
      const std::string library(words[2]);
      policy.blacklisted_symbols.erase(library);
      if (words.size() > 3) {
        policy.blacklisted_symbols[library].insert(words.begin() + 3, words.end());
      }
    } else {
      bad_data(words[0]);
    }
  }

  void architecture_line(const Words& words) {
    if (words[0] == "policies") {
      exists_.insert(words.begin() + 1, words.end());
    } else if (words[0] == "rename" && words.size() == 3) {
      renames_.emplace(words[1], words[2]);
    } else if (words[0] == "versions" && words.size() >= 3) {
      added_versions_[std::string(words[1])][std::string(words[2])].insert(words.begin() + 3,
                                                                           words.end());
    } else {
      bad_data(words[0]);
    }
  }

  std::string libc_section_;
  std::string architecture_section_;
  Section section_ = Section::other;
  std::vector<Policy> policies_;  // oldest first; allowed_libraries holds what each one adds
  std::set<std::string> exists_;  // on the architecture
  std::map<std::string, std::string> renames_;
  std::map<std::string, std::map<std::string, std::set<std::string>>> added_versions_;
};

}  // namespace

PolicyList policies_for(deps::Libc libc, const std::string& architecture) {
  static std::mutex mutex;
  static std::map<std::pair<deps::Libc, std::string>, PolicyList> known;
  const std::lock_guard lock(mutex);
  PolicyList& policies = known[{libc, architecture}];
  if (policies.empty()) {
    auto read = TableReader(section_name(libc), architecture).read();
    Policy linux_policy;
    linux_policy.name = "linux";
    read.push_back(std::make_shared<const Policy>(std::move(linux_policy)));
    policies = std::move(read);
  }
  return policies;
}

std::optional<std::string> policy_of_alias(std::string_view alias) {
  static const auto names = [] {
    std::map<std::string_view, std::string_view> read;
    for_each_data_line(
        data::policies,
        [&](const Words& words) {
          for (std::size_t i = 3; i < words.size(); ++i) read[words[i]] = words[1];
        },
        [](std::string_view line) { return line.starts_with("policy "); });
    return read;
  }();
  const auto found = names.find(alias);
  return found == names.end() ? std::nullopt : std::optional(std::string(found->second));
}

std::string_view tag_family(deps::Libc libc) {
  switch (libc) {
    case deps::Libc::glibc:
      return "manylinux";
    case deps::Libc::musl:
      return "musllinux";
    case deps::Libc::bionic:
      return "android";
  }
  return {};
}

std::string_view libc_name(deps::Libc libc) {
  return libc == deps::Libc::bionic ? "Android" : section_name(libc);
}

namespace {
// PEP 738: Android's names of architectures. Only these differ from the kernel's.
constexpr std::pair<std::string_view, std::string_view> kAndroidNames[] = {
    {"aarch64", "arm64_v8a"}, {"armv7l", "armeabi_v7a"}, {"i686", "x86"}};
}  // namespace

std::string tag_architecture(deps::Libc libc, const std::string& architecture) {
  if (libc == deps::Libc::bionic) {
    for (const auto& [kernel, android] : kAndroidNames) {
      if (kernel == architecture) return std::string(android);
    }
  }
  return architecture;
}

std::string baseline_architecture(std::string_view tag_architecture) {
  for (const auto& [kernel, android] : kAndroidNames) {
    if (android == tag_architecture) return std::string(kernel);
  }
  return std::string(tag_architecture);
}

std::string platform_tag(deps::Libc libc, std::string_view name, const std::string& architecture) {
  // Only Android's own tags have Android's names: linux_aarch64, android_24_arm64_v8a.
  return std::string(name) + "_" +
         (name == "linux" ? architecture : tag_architecture(libc, architecture));
}

}  // namespace truewheel::policy
