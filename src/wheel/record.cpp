// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "base/unicode.hpp"
#include "wheel/csv.hpp"
#include <truewheel/error.hpp>
#include <truewheel/wheel.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_set>

namespace truewheel::wheel {
namespace {

struct Algorithm {
  std::string_view name;
  std::size_t digest_length;  ///< in unpadded base64
};
constexpr std::array<Algorithm, 7> kAlgorithms{{{"sha256", 43},
                                                {"sha384", 64},
                                                {"sha512", 86},
                                                {"sha3_256", 43},
                                                {"sha3_384", 64},
                                                {"sha3_512", 86},
                                                {"blake2b", 86}}};

// As much of a field as a message needs.
std::string shown(std::string_view field) { return printable(field.substr(0, 300)); }

[[noreturn]] void refuse_row(std::string_view id, std::size_t line, std::string_view what) {
  throw Error(ErrorKind::refused, std::string(id), fmt::format("line {}: {}", line, what));
}

void check_path(std::size_t line, std::string_view path) {
  const auto refuse_path = [&](std::string_view why) {
    refuse_row("record-path", line, fmt::format("path '{}' {}", shown(path), why));
  };
  if (path.empty()) refuse_path("is empty");
  const bool has_drive = path.size() >= 2 && path[1] == ':' &&
                         ((path[0] >= 'a' && path[0] <= 'z') || (path[0] >= 'A' && path[0] <= 'Z'));
  // An installer deletes what RECORD names when it uninstalls: a row must not reach outside
  // (GHSA-pjjw-68hj-v9mw).
  if (path.front() == '/' || has_drive) refuse_path("is absolute");
  if (path.find('\\') != std::string_view::npos) refuse_path("holds a backslash");
  if (path.find('\0') != std::string_view::npos) refuse_path("holds a NUL byte");
  for (std::string_view rest = path; !rest.empty();) {
    if (take_piece(rest, '/') == "..") refuse_path("has a '..' component");
  }
}

void check_hash(std::size_t line, std::string_view hash) {
  if (hash.empty()) return;
  const auto equals = hash.find('=');
  const std::string_view algorithm = hash.substr(0, equals);
  if (algorithm == "md5" || algorithm == "sha1") {
    refuse_row("record-weak-hash", line, fmt::format("{} is not permitted in a wheel", algorithm));
  }
  for (const auto& known : kAlgorithms) {
    if (known.name != algorithm) continue;
    if (equals == std::string_view::npos) {
      refuse_row("record-hash", line, fmt::format("'{}' is followed by no digest", algorithm));
    }
    const std::string_view digest = hash.substr(equals + 1);
    const bool in_alphabet =
        digest.find_first_not_of(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") ==
        std::string_view::npos;
    if (digest.size() != known.digest_length || !in_alphabet) {
      refuse_row("record-hash", line,
                 fmt::format("'{}' is not a {} digest", shown(digest), algorithm));
    }
    return;
  }
  refuse_row("record-hash", line,
             fmt::format("'{}' has no hash algorithm that is known", shown(hash)));
}

std::optional<std::uint64_t> parse_size(std::size_t line, std::string_view text) {
  if (text.empty()) return std::nullopt;
  std::uint64_t size = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (problem != std::errc() || end != text.data() + text.size()) {
    refuse_row("record-size", line, fmt::format("'{}' is not a size", shown(text)));
  }
  return size;
}

}  // namespace

std::vector<RecordRow> parse_record(std::string_view text, std::size_t most_rows) {
  if (text.starts_with("\xEF\xBB\xBF")) {
    throw Error(ErrorKind::refused, "record-encoding", "the text starts with a byte order mark");
  }
  if (!is_valid_utf8(text))
    throw Error(ErrorKind::refused, "record-encoding", "the text is not UTF-8");
  std::vector<RecordRow> rows;
  // With room for all of them rows stay where they are, so that their names need no second copy.
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
  rows.reserve(std::min(lines, most_rows));
  std::unordered_set<std::string_view> seen;
  seen.reserve(rows.capacity());
  for_each_csv_row(text, [&](std::size_t line, std::vector<std::string>& fields) {
    if (rows.size() == most_rows) {
      refuse_row(
          "record-rows", line,
          fmt::format("there are more than the {} rows that the archive could have", most_rows));
    }
    if (fields.size() != 3) {
      refuse_row("record-columns", line,
                 fmt::format("the row has {} columns, not 3", fields.size()));
    }
    check_path(line, fields[0]);
    check_hash(line, fields[1]);
    const auto size = parse_size(line, fields[2]);
    rows.push_back({std::move(fields[0]), std::move(fields[1]), size});
    if (!seen.insert(rows.back().path).second) {
      refuse_row("record-duplicate", line,
                 fmt::format("'{}' has two rows", shown(rows.back().path)));
    }
  });
  return rows;
}

std::string format_record(const std::vector<RecordRow>& rows) {
  std::string out;
  for (const auto& row : rows) {
    append_csv_field(out, row.path);
    out += ',';
    append_csv_field(out, row.hash);
    out += ',';
    if (row.size) out += std::to_string(*row.size);
    out += '\n';
  }
  return out;
}

}  // namespace truewheel::wheel
