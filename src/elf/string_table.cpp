// SPDX-License-Identifier: Apache-2.0
#include "elf/string_table.hpp"

#include "base/byte_reader.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace truewheel::elf {

namespace {

std::string terminated(const std::string& text) {
  std::string result = text;
  result.push_back('\0');
  return result;
}

/// The bytes of the table that belong to no string in use, its NUL included.
class FreeBytes {
 public:
  FreeBytes(std::string_view table, const std::vector<std::uint64_t>& users)
      : table_(table), used_(table.size()) {
    const auto keep = [&](std::uint64_t user) {
      // Strings that end alike share their tails: once a used byte is met, all up to the NUL are
      // used, too.
      for (auto i = static_cast<std::size_t>(user); i < used_.size() && !used_[i]; ++i) {
        used_[i] = true;
        if (table[i] == '\0') break;
      }
    };
    keep(0);  // the empty string there belongs to the format; one that is not empty stays, too
    for (const std::uint64_t user : users) keep(user);
    for (std::size_t i = 0; i < used_.size(); ++i) {
      if (used_[i]) continue;
      const std::size_t begin = i;
      while (i < used_.size() && !used_[i]) ++i;
      runs_.insert({i - begin, begin});
    }
  }
  /// Takes `length` bytes of the smallest run that holds them, the lowest one of equals; what is
  /// left of it stays free.
  [[nodiscard]] std::optional<std::uint64_t> take(std::uint64_t length) {
    const auto found = runs_.lower_bound({length, 0});
    if (found == runs_.end()) return std::nullopt;
    const auto [size, begin] = *found;
    runs_.erase(found);
    if (size != length) runs_.insert({size - length, begin + length});
    mark(begin, length);
    return begin;
  }
  /// Takes bytes behind begin_of_end(); those past the table's end are nobody's.
  void mark(std::uint64_t offset, std::uint64_t length) {
    for (std::uint64_t i = offset; i < std::min<std::uint64_t>(offset + length, used_.size()); ++i)
      used_[static_cast<std::size_t>(i)] = true;
  }
  /// Where unused bytes at the table's end begin.
  [[nodiscard]] std::uint64_t begin_of_end() const {
    const auto last = std::find_if(runs_.begin(), runs_.end(), [&](const auto& run) {
      return run.first + run.second == used_.size();
    });
    return last == runs_.end() ? used_.size() : last->second;
  }
  /// Makes NULs of what is left of an old string that a new one cut, so that no fragment of it
  /// stays.
  void blank_remainder(StringPiece& piece) const {
    auto at = static_cast<std::size_t>(piece.offset) + piece.bytes.size();
    const bool cuts = at < table_.size() && table_[at - 1] != '\0';
    for (; cuts && at < table_.size() && table_[at] != '\0' && !used_[at]; ++at)
      piece.bytes.push_back('\0');
  }

 private:
  std::string_view table_;
  std::vector<bool> used_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> runs_;  ///< size and begin
};

bool ends_earlier(std::string_view a, std::string_view b) {
  return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
}

/// Finds strings in the table, also as the tails of others. A few are looked for one by one; for
/// many all tails are sorted first, so that a rename of each symbol of a large library is no
/// quadratic matter.
class ExistingStrings {
 public:
  ExistingStrings(std::string_view table, std::size_t searches) : table_(table) {
    constexpr std::size_t kFew = 16;
    if (searches <= kFew) return;
    for (std::size_t begin = 0; begin < table.size();) {
      const std::size_t end = std::min(table.find('\0', begin), table.size());
      if (end != table.size()) sorted_.push_back(table.substr(begin, end - begin));
      begin = end + 1;
    }
    std::stable_sort(sorted_.begin(), sorted_.end(), ends_earlier);
  }
  [[nodiscard]] std::optional<std::uint64_t> find(const std::string& text) const {
    if (sorted_.empty()) {
      const auto found = table_.find(terminated(text));
      return found == std::string_view::npos ? std::nullopt : std::optional(found);
    }
    const auto found = std::lower_bound(sorted_.begin(), sorted_.end(), text, ends_earlier);
    if (found == sorted_.end() || !found->ends_with(text)) return std::nullopt;
    return static_cast<std::uint64_t>(found->data() - table_.data()) + found->size() - text.size();
  }

 private:
  std::string_view table_;
  std::vector<std::string_view> sorted_;  ///< by their last letters
};

}  // namespace

StringPlan plan_strings(Bytes table_bytes, const std::vector<std::uint64_t>& users,
                        const std::vector<std::string>& wanted, Reclaim reclaim) {
  const std::string_view table = as_text(table_bytes);
  StringPlan plan;
  plan.size = table.size();

  // S1: a string that is there already, perhaps as the tail of a longer one.
  std::vector<std::string> missing;
  std::vector<std::uint64_t> all_users = users;
  const ExistingStrings existing(table, wanted.size());
  for (const std::string& text : std::set<std::string>(wanted.begin(), wanted.end())) {
    const auto found = existing.find(text);
    if (!found) {
      missing.push_back(text);
      continue;
    }
    plan.offsets[text] = *found;
    all_users.push_back(*found);
    plan.steps.push_back(
        fmt::format("'{}' is in the string table already, at {:#x}", printable(text), *found));
  }
  if (missing.empty()) return plan;

  // A new string that ends another new one shares its bytes: sorted by their last letters, it
  // stands before the longer one.
  std::sort(missing.begin(), missing.end(), ends_earlier);
  std::vector<const std::string*> placed;
  std::vector<std::size_t> shared;
  for (std::size_t i = 0; i < missing.size(); ++i) {
    if (i + 1 < missing.size() && missing[i + 1].ends_with(missing[i])) {
      shared.push_back(i);
    } else {
      placed.push_back(&missing[i]);
    }
  }
  std::sort(placed.begin(), placed.end(), [](const std::string* a, const std::string* b) {
    return a->size() != b->size() ? a->size() > b->size() : *a < *b;
  });

  std::optional<FreeBytes> free_bytes;
  if (reclaim == Reclaim::unused_bytes) free_bytes.emplace(table, all_users);
  std::vector<const std::string*> appended;
  for (const std::string* text : placed) {
    // S2: bytes that belong to nobody.
    const std::string bytes = terminated(*text);
    const auto place = free_bytes ? free_bytes->take(bytes.size()) : std::nullopt;
    if (!place) {
      appended.push_back(text);
      continue;
    }
    plan.pieces.push_back({*place, bytes});
    plan.offsets[*text] = *place;
    plan.steps.push_back(
        fmt::format("'{}' goes over bytes of the string table that nothing uses, at {:#x}",
                    printable(*text), *place));
  }

  // The rest goes to the end, beginning with the unused bytes there.
  std::uint64_t end = free_bytes ? free_bytes->begin_of_end() : table.size();
  for (const std::string* text : appended) {
    plan.offsets[*text] = end;
    plan.pieces.push_back({end, terminated(*text)});
    if (free_bytes) free_bytes->mark(end, text->size() + 1);
    end += text->size() + 1;
    plan.steps.push_back(fmt::format("'{}' is added to the string table", printable(*text)));
  }
  if (!appended.empty()) plan.size = std::max<std::uint64_t>(end, table.size());
  for (StringPiece& piece : plan.pieces) {
    if (free_bytes) free_bytes->blank_remainder(piece);
  }

  // From the longest tail on, so that the string it ends has its place.
  for (auto i = shared.rbegin(); i != shared.rend(); ++i) {
    const std::string &text = missing[*i], &longer = missing[*i + 1];
    plan.offsets[text] = plan.offsets.at(longer) + longer.size() - text.size();
  }
  return plan;
}

}  // namespace truewheel::elf
