// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/deps.hpp>
#include <truewheel/policy.hpp>

#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace truewheel::policy {

/// What one file asks of its system, gathered once and then held against every policy.
class FileNeeds {
 public:
  /// `forbidden`: the symbols that some policy forbids. `node` outlives the object.
  FileNeeds(const deps::Node& node, const std::set<std::string>& forbidden);

  struct Version {
    std::string_view library;
    std::string_view name;
  };
  /// The versions that the loader insists on. VER_FLG_WEAK ones are left out: when such a version
  /// is not there, glibc goes on (elf/dl-version.c), just as with a weak symbol.
  [[nodiscard]] const std::vector<Version>& versions() const { return versions_; }

  /// The symbols that need a version, sorted.
  [[nodiscard]] std::vector<std::string> symbols_of(const Version& version) const;

  /// What keeps the file itself from a policy, its libraries aside.
  void judge(const Policy& policy, const EvaluateOptions& options,
             std::vector<Offence>& offences) const;

 private:
  [[nodiscard]] Offence offence(Offence::Kind kind) const;
  void judge_versions(const Policy& policy, const EvaluateOptions& options,
                      std::vector<Offence>& offences) const;
  void judge_forbidden(const Policy& policy, std::vector<Offence>& offences) const;

  const deps::Node* node_;
  std::vector<Version> versions_;
  /// Strong undefined symbols that some policy forbids, and the library that their version names.
  std::vector<Version> forbidden_;
  std::vector<std::string> python_symbols_;
};

}  // namespace truewheel::policy
