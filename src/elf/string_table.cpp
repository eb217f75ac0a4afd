// SPDX-License-Identifier: Apache-2.0
#include "elf/string_table.hpp"

#include "base/byte_reader.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

namespace truewheel::elf {

namespace {

std::string terminated(const std::string& text) {
  std::string result = text;
  result.push_back('\0');
  return result;
}

/// Which bytes of the table belong to a string in use, its NUL included.
class Occupancy {
 public:
  Occupancy(std::string_view table, const std::vector<std::uint64_t>& users)
      : table_(table), used_(table.size()) {
    if (!used_.empty()) used_[0] = 1;  // the empty string of offset 0 belongs to the format
    for (const std::uint64_t user : users) mark(user);
  }
  void mark(std::uint64_t offset) {
    for (auto i = static_cast<std::size_t>(offset); i < used_.size() && used_[i] != 1; ++i) {
      // Strings that end alike share their tails: once a used byte is met, all up to the NUL are
      // used, too.
      used_[i] = 1;
      if (table_[i] == '\0') break;
    }
  }
  /// Bytes past the table's end are nobody's.
  void mark(std::uint64_t offset, std::uint64_t length) {
    const auto begin = std::min(static_cast<std::size_t>(offset), used_.size());
    const auto end = std::min(static_cast<std::size_t>(offset + length), used_.size());
    std::fill(used_.begin() + static_cast<std::ptrdiff_t>(begin),
              used_.begin() + static_cast<std::ptrdiff_t>(end), std::uint8_t{1});
  }
  [[nodiscard]] bool is_used(std::size_t offset) const { return used_[offset] != 0; }
  struct Run {
    std::uint64_t begin, end;
  };
  [[nodiscard]] std::vector<Run> free_runs() const {
    std::vector<Run> runs;
    for (std::size_t i = 0; i < used_.size();) {
      const auto begin = static_cast<std::size_t>(
          std::find(used_.begin() + static_cast<std::ptrdiff_t>(i), used_.end(), std::uint8_t{0}) -
          used_.begin());
      if (begin == used_.size()) break;
      i = static_cast<std::size_t>(std::find(used_.begin() + static_cast<std::ptrdiff_t>(begin),
                                             used_.end(), std::uint8_t{1}) -
                                   used_.begin());
      runs.push_back({begin, i});
    }
    return runs;
  }

 private:
  std::string_view table_;
  std::vector<std::uint8_t> used_;
};

/// The smallest run that holds `length` bytes; the lowest one of equals.
std::optional<Occupancy::Run> best_fit(const std::vector<Occupancy::Run>& runs,
                                       std::uint64_t length) {
  std::optional<Occupancy::Run> best;
  for (const Occupancy::Run& run : runs) {
    if (run.end - run.begin < length) continue;
    if (!best || run.end - run.begin < best->end - best->begin) best = run;
  }
  return best;
}

/// Makes NULs of what is left of an old string that a new one cut, so that no fragment of it stays.
void blank_remainder(std::string_view table, const Occupancy& occupancy, StringPiece& piece) {
  auto at = static_cast<std::size_t>(piece.offset) + piece.bytes.size();
  const bool cuts = at < table.size() && table[at - 1] != '\0';
  for (; cuts && at < table.size() && table[at] != '\0' && !occupancy.is_used(at); ++at)
    piece.bytes.push_back('\0');
}

}  // namespace

StringPlan plan_strings(Bytes table_bytes, const std::vector<std::uint64_t>& users,
                        const std::vector<std::string>& wanted, Reclaim reclaim) {
  const std::string_view table = as_text(table_bytes);
  StringPlan plan;
  plan.size = table.size();

  // S1: a string that is there already, perhaps as the tail of a longer one.
  std::vector<std::string> missing;
  std::vector<std::uint64_t> all_users = users;
  for (const std::string& text : wanted) {
    if (plan.offsets.contains(text)) continue;
    const auto found = table.find(terminated(text));
    if (found == std::string_view::npos) {
      missing.push_back(text);
      continue;
    }
    plan.offsets[text] = found;
    all_users.push_back(found);
    plan.steps.push_back(
        fmt::format("'{}' is in the string table already, at {:#x}", printable(text), found));
  }
  if (missing.empty()) return plan;

  // The longest first, so that a string that ends another one can share its bytes.
  std::sort(missing.begin(), missing.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  });
  missing.erase(std::unique(missing.begin(), missing.end()), missing.end());

  std::optional<Occupancy> occupancy;
  std::uint64_t end = table.size();
  if (reclaim == Reclaim::unused_bytes) occupancy.emplace(table, all_users);
  std::vector<const std::string*> appended;
  const auto share_with_new = [&](const std::string& text) {
    for (const StringPiece& piece : plan.pieces) {
      const auto found = piece.bytes.find(terminated(text));
      if (found != std::string::npos) return std::optional(piece.offset + found);
    }
    return std::optional<std::uint64_t>{};
  };
  for (const std::string& text : missing) {
    if (const auto shared = share_with_new(text)) {
      plan.offsets[text] = *shared;
      continue;
    }
    // S2: bytes that belong to nobody.
    const std::string bytes = terminated(text);
    const auto run = occupancy ? best_fit(occupancy->free_runs(), bytes.size()) : std::nullopt;
    if (!run) {
      appended.push_back(&text);
      continue;
    }
    plan.pieces.push_back({run->begin, bytes});
    occupancy->mark(run->begin, bytes.size());
    plan.offsets[text] = run->begin;
    plan.steps.push_back(
        fmt::format("'{}' goes over bytes of the string table that nothing uses, at {:#x}",
                    printable(text), run->begin));
  }
  // The rest goes to the end, beginning with the unused bytes there.
  if (occupancy && !appended.empty()) {
    const auto runs = occupancy->free_runs();
    if (!runs.empty() && runs.back().end == table.size()) end = runs.back().begin;
  }
  for (const std::string* text : appended) {
    if (const auto shared = share_with_new(*text)) {
      plan.offsets[*text] = *shared;
      continue;
    }
    plan.offsets[*text] = end;
    plan.pieces.push_back({end, terminated(*text)});
    if (occupancy) occupancy->mark(end, text->size() + 1);
    end += text->size() + 1;
    plan.steps.push_back(fmt::format("'{}' is added to the string table", printable(*text)));
  }
  if (occupancy) {
    for (StringPiece& piece : plan.pieces) blank_remainder(table, *occupancy, piece);
  }
  plan.size = std::max<std::uint64_t>(end, table.size());
  return plan;
}

}  // namespace truewheel::elf
