// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace truewheel::wheel {

/// One row of a CSV text and the line it starts on.
struct CsvRow {
  std::size_t line = 0;
  std::vector<std::string> fields;
};

/// Reads what Python's csv.reader reads by default, and refuses what it would have to guess about:
/// text behind a closing quote, a quote that never closes, a bare carriage return. Blank lines give
/// no row. Throws Error(refused, "record-csv").
[[nodiscard]] std::vector<CsvRow> parse_csv(std::string_view text);

/// A field as csv.writer writes it: quoted only where it must be.
void append_csv_field(std::string& out, std::string_view field);

}  // namespace truewheel::wheel
