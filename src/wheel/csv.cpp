// SPDX-License-Identifier: Apache-2.0
#include "wheel/csv.hpp"

#include <truewheel/error.hpp>

#include <fmt/format.h>

namespace truewheel::wheel {
namespace {

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  void each_row(const CsvSink& sink) {
    constexpr std::size_t kMostColumns = 64;
    while (at_ < text_.size()) {
      if (skip_line_end()) continue;
      const auto line = line_;
      std::vector<std::string> fields;
      do {
        if (fields.size() == kMostColumns) fail("the row has more than 64 columns");
        fields.push_back(field());
      } while (skip(','));
      if (at_ < text_.size() && !skip_line_end()) fail("text follows a closing quote");
      sink(line, fields);
    }
  }

 private:
  std::string field() { return skip('"') ? quoted_field() : plain_field(); }

  std::string plain_field() {
    const auto end = text_.find_first_of(",\r\n", at_);
    const auto start = at_;
    at_ = end == std::string_view::npos ? text_.size() : end;
    return std::string(text_.substr(start, at_ - start));
  }

  std::string quoted_field() {
    std::string out;
    for (;;) {
      const auto quote = text_.find('"', at_);
      if (quote == std::string_view::npos) fail("a quote is never closed");
      const auto piece = text_.substr(at_, quote - at_);
      for (const char c : piece) line_ += c == '\n' ? 1 : 0;
      out += piece;
      at_ = quote + 1;
      if (!skip('"')) return out;
      out += '"';
    }
  }

  bool skip(char wanted) {
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  bool skip_line_end() {
    if (skip('\r') && (at_ == text_.size() || text_[at_] != '\n'))
      fail("a carriage return stands alone");
    if (!skip('\n')) return false;
    ++line_;
    return true;
  }

  [[noreturn]] void fail(std::string_view what) const {
    throw Error(ErrorKind::refused, "record-csv", fmt::format("line {}: {}", line_, what));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

}  // namespace

void for_each_csv_row(std::string_view text, const CsvSink& sink) { Reader(text).each_row(sink); }

void append_csv_field(std::string& out, std::string_view field) {
  if (field.find_first_of(",\"\r\n") == std::string_view::npos) {
    out += field;
    return;
  }
  out += '"';
  for (const char c : field) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

}  // namespace truewheel::wheel
