// SPDX-License-Identifier: Apache-2.0
#include "base/hash.hpp"
#include "base/text.hpp"
#include <truewheel/wheel.hpp>

#include <fmt/format.h>

#include <optional>
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
      : members_(members), record_path_(record_path), reread_(reread), seen_(members.size()) {}

  std::vector<std::string> run(const std::vector<RecordRow>& rows) {
    for (const auto& row : rows) check(row);
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const auto& member = members_[i];
      // RECORD cannot hold its own hash, and signatures are made after it (PEP 427, PEP 815):
      // neither needs a row.
      if (seen_[i] || member.name == record_path_ || is_signature(member.name)) continue;
      say(fmt::format("{} is not in RECORD", quoted_path(member.name)));
    }
    return std::move(sentences_);
  }

 private:
  bool is_signature(std::string_view path) const {
    return path == record_path_ + ".jws" || path == record_path_ + ".p7s";
  }

  void say(std::string sentence) { sentences_.push_back(std::move(sentence)); }

  /// Rows mostly stand in the members' order, so that the next one is tried first.
  std::optional<std::size_t> member_of(const RecordRow& row) {
    if (next_ < members_.size() && members_[next_].name == row.path) return next_++;
    if (by_name_.empty()) {
      by_name_.reserve(members_.size());
      for (std::size_t i = 0; i < members_.size(); ++i) by_name_.emplace(members_[i].name, i);
    }
    const auto found = by_name_.find(row.path);
    if (found == by_name_.end()) return std::nullopt;
    next_ = found->second + 1;
    return found->second;
  }

  void check(const RecordRow& row) {
    const auto place = member_of(row);
    if (place ? seen_[*place] : !absent_.insert(row.path).second) {
      say(fmt::format("RECORD has more than one row for {}", quoted_path(row.path)));
      return;
    }
    if (!place) {
      if (row.path.ends_with('/')) {
        say(fmt::format("RECORD lists {}: a folder, and only files have rows",
                        quoted_path(row.path)));
      } else if (!is_signature(row.path)) {
        say(fmt::format("RECORD lists {}, which the wheel does not hold", quoted_path(row.path)));
      }
      return;
    }
    seen_[*place] = true;
    const Digest& member = members_[*place];
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
    } else if (!is_hash_of(row, member)) {
      say(fmt::format("the hash of {} in RECORD is not that of its content",
                      quoted_path(row.path)));
    }
  }

  bool is_hash_of(const RecordRow& row, const Digest& member) const {
    const auto equals = row.hash.find('=');
    const auto algorithm = std::string_view(row.hash).substr(0, equals);
    if (algorithm == "sha256") {
      return equals != std::string::npos &&
             std::string_view(row.hash).substr(equals + 1) == member.sha256;
    }
    Hasher hasher(algorithm);
    hasher.update(reread_(member.name).bytes());
    return row.hash == std::string(algorithm) + "=" + base64url(hasher.finish());
  }

  const std::vector<Digest>& members_;
  const std::string& record_path_;
  const std::function<Content(const std::string&)>& reread_;
  std::size_t next_ = 0;
  std::unordered_map<std::string_view, std::size_t> by_name_;  ///< made when it is needed
  std::vector<bool> seen_;                                     ///< by member
  std::unordered_set<std::string_view> absent_;
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
