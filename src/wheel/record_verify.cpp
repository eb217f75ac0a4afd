// SPDX-License-Identifier: Apache-2.0
#include "base/hash.hpp"
#include "base/text.hpp"
#include <truewheel/wheel.hpp>

#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace truewheel::wheel {
namespace {

std::string quoted_path(std::string_view path) { return "'" + printable(path) + "'"; }

class Verifier {
 public:
  Verifier(const std::vector<Digest>& members, const std::string& record_path,
           const std::function<Content(const std::string&)>& reread)
      : members_(members), record_path_(record_path), reread_(reread) {
    by_name_.reserve(members.size());
    for (const auto& member : members) by_name_.emplace(member.name, &member);
  }

  std::vector<std::string> run(const std::vector<RecordRow>& rows) {
    for (const auto& row : rows) check(row);
    for (const auto& member : members_) {
      // RECORD cannot hold its own hash, and signatures are made after it (PEP 427, PEP 815):
      // neither needs a row.
      if (seen_.contains(member.name) || member.name == record_path_ || is_signature(member.name))
        continue;
      say(fmt::format("{} is not in RECORD", quoted_path(member.name)));
    }
    return std::move(sentences_);
  }

 private:
  bool is_signature(std::string_view path) const {
    return path == record_path_ + ".jws" || path == record_path_ + ".p7s";
  }

  void say(std::string sentence) { sentences_.push_back(std::move(sentence)); }

  void check(const RecordRow& row) {
    if (!seen_.insert(row.path).second) {
      say(fmt::format("RECORD has more than one row for {}", quoted_path(row.path)));
      return;
    }
    const auto found = by_name_.find(row.path);
    if (found == by_name_.end()) {
      if (!is_signature(row.path))
        say(fmt::format("RECORD lists {}, which the wheel does not hold", quoted_path(row.path)));
      return;
    }
    const Digest& member = *found->second;
    if (row.size && *row.size != member.size) {
      say(fmt::format("RECORD gives {} a size of {}, but it has {}", quoted_path(row.path),
                      *row.size, member.size));
    }
    if (row.path == record_path_) {
      if (!row.hash.empty())
        say(fmt::format("RECORD gives a hash for {} itself", quoted_path(row.path)));
    } else if (row.hash.empty()) {
      if (!is_signature(row.path))
        say(fmt::format("RECORD has no hash for {}", quoted_path(row.path)));
    } else if (digest_of(row, member) != row.hash) {
      say(fmt::format("the hash of {} in RECORD is not that of its content",
                      quoted_path(row.path)));
    }
  }

  std::string digest_of(const RecordRow& row, const Digest& member) const {
    const std::string algorithm = row.hash.substr(0, row.hash.find('='));
    if (algorithm == "sha256") return "sha256=" + member.sha256;
    Hasher hasher(algorithm);
    hasher.update(reread_(member.name).bytes());
    return algorithm + "=" + base64url(hasher.finish());
  }

  const std::vector<Digest>& members_;
  const std::string& record_path_;
  const std::function<Content(const std::string&)>& reread_;
  std::unordered_map<std::string_view, const Digest*> by_name_;
  std::unordered_set<std::string_view> seen_;
  std::vector<std::string> sentences_;
};

}  // namespace

std::vector<std::string> verify_record(const std::vector<RecordRow>& rows,
                                       const std::vector<Digest>& members,
                                       const std::string& record_path,
                                       const std::function<Content(const std::string&)>& reread) {
  return Verifier(members, record_path, reread).run(rows);
}

}  // namespace truewheel::wheel
