// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace truewheel::repair {

/// Hands out file names for grafted libraries (auditwheel's form; PEP 600 wants unique
/// SONAMEs).
///
/// `libfoo.so.1` becomes `libfoo-<first 8 hex of its sha256>.so.1`; a name that already ends in
/// `-<8 hex>` before its first dot is kept. A name that is taken (compared case-folded, since
/// wheels are unpacked on such file systems too) gets 16 hex digits, then 32.
class GraftNames {
 public:
  /// `taken`: file names already in the folder that the grafts go to.
  explicit GraftNames(const std::set<std::string>& taken);

  /// The name for a source file with this digest (64 hex digits); the name is taken from then on.
  [[nodiscard]] std::string pick(std::string_view file_name, std::string_view sha256_hex);

 private:
  std::set<std::string> taken_folded_;
};

/// Every name that pick() or auditwheel may have given to a source file with this digest.
[[nodiscard]] std::set<std::string> graft_names_of(std::string_view file_name,
                                                   std::string_view sha256_hex);

}  // namespace truewheel::repair
