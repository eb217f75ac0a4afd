// SPDX-License-Identifier: Apache-2.0
#include "elf/payload.hpp"

#include "base/hash.hpp"
#include "elf/format.hpp"

#include <algorithm>
#include <string_view>

namespace truewheel::elf {
namespace {

/// The interpreter is an editor's to set, and a global offset table begins with .dynamic's address.
bool is_editable(std::string_view name) { return name == ".interp" || name.starts_with(".got"); }

}  // namespace

std::vector<std::pair<std::uint64_t, std::uint64_t>> payload_ranges(const ElfImage& image) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  for (const auto& section : image.sections()) {
    const bool is_code = (section.flags & shf::kExecinstr) != 0 && section.type != sht::kNobits;
    const bool is_data = (section.flags & shf::kAlloc) != 0 && section.type == sht::kProgbits &&
                         !is_editable(image.section_name(section));
    const auto end = static_cast<std::uint64_t>(image.file().size());
    if ((!is_code && !is_data) || section.size == 0 || section.offset > end ||
        section.size > end - section.offset) {
      continue;
    }
    ranges.emplace_back(section.offset, section.offset + section.size);
  }
  std::sort(ranges.begin(), ranges.end());
  for (std::size_t i = 1; i < ranges.size(); ++i) {  // sections that overlap count once
    ranges[i].first = std::max(ranges[i].first, ranges[i - 1].second);
    ranges[i].second = std::max(ranges[i].second, ranges[i].first);
  }
  return ranges;
}

std::string payload_digest(Bytes file) {
  const ElfImage image(file);
  const auto ranges = payload_ranges(image);
  if (ranges.empty()) return {};
  Hasher hasher;
  for (const auto& [begin, end] : ranges) hasher.update(image.reader().slice(begin, end - begin));
  return hex(hasher.finish());
}

bool same_payload(Bytes one, Bytes other) {
  const auto digest = payload_digest(one);
  return !digest.empty() && digest == payload_digest(other);
}

}  // namespace truewheel::elf
