// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace truewheel::wheel {

/// Gets the line a row starts on, and its fields.
using CsvSink = std::function<void(std::size_t line, std::vector<std::string>& fields)>;

/// Reads what Python's csv.reader reads by default, and refuses what it would have to guess about:
/// text behind a closing quote, a quote that never closes, a bare carriage return. Blank lines give
/// no row. A row of more columns than any RECORD has is refused, too, before it takes memory.
/// Throws Error(refused, "record-csv").
void for_each_csv_row(std::string_view text, const CsvSink& sink);

/// A field as csv.writer writes it: quoted only where it must be.
void append_csv_field(std::string& out, std::string_view field);

}  // namespace truewheel::wheel
