// SPDX-License-Identifier: Apache-2.0
#include "elf/writes.hpp"

#include "elf/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>

namespace truewheel::elf {

namespace {

/// Differing bytes that are closer together than this become one patch.
constexpr std::size_t kPatchGap = 16;

void append_differences(Bytes file, const Write& item, std::vector<Patch>& patches) {
  const auto differs = [&](std::size_t i) {
    return file[static_cast<std::size_t>(item.offset) + i] != item.bytes[i];
  };
  for (std::size_t i = 0; i < item.bytes.size(); ++i) {
    if (!differs(i)) continue;
    std::size_t last = i;
    for (std::size_t k = i + 1; k < item.bytes.size() && k - last <= kPatchGap; ++k) {
      if (differs(k)) last = k;
    }
    patches.push_back(
        {item.offset + i, Buffer(item.bytes.begin() + static_cast<std::ptrdiff_t>(i),
                                 item.bytes.begin() + static_cast<std::ptrdiff_t>(last + 1))});
    i = last;
  }
}

}  // namespace

PatchList assemble(const ElfImage& image, const Layout& layout, std::vector<Write> writes) {
  const Bytes file = image.file();
  PatchList result;
  result.keep = layout.keep;
  result.growth = layout.growth;
  result.tail.resize(static_cast<std::size_t>(layout.size - layout.keep));
  if (layout.keep < file.size()) {
    std::copy(file.begin() + static_cast<std::ptrdiff_t>(layout.keep), file.end(),
              result.tail.begin() + static_cast<std::ptrdiff_t>(layout.tail_shift));
  }
  std::sort(writes.begin(), writes.end(),
            [](const Write& a, const Write& b) { return a.offset < b.offset; });
  std::uint64_t end = 0;
  for (Write& item : writes) {
    if (item.offset < end || item.offset + item.bytes.size() > layout.size) {
      const std::string what =
          fmt::format("two parts of the edited file meet at {:#x}", item.offset);
      // In a file that contradicts itself they overlap already.
      if (!find_contradictions(file).empty())
        throw Error(ErrorKind::refused, "elf-inconsistent", what);
      throw Error(ErrorKind::internal, "elf-writes-overlap", what);
    }
    end = item.offset + item.bytes.size();
    const std::uint64_t head =
        item.offset >= layout.keep ? 0 : std::min(end, layout.keep) - item.offset;
    if (head < item.bytes.size()) {
      std::copy(
          item.bytes.begin() + static_cast<std::ptrdiff_t>(head), item.bytes.end(),
          result.tail.begin() + static_cast<std::ptrdiff_t>(item.offset + head - layout.keep));
    }
    item.bytes.resize(static_cast<std::size_t>(head));
    append_differences(file, item, result.patches);
  }
  result.moves_headers = layout.moves_headers;
  result.breaks_strip = layout.empties_load || layout.leaves_sections;
  result.buries_payload = layout.buries_payload;
  return result;
}

}  // namespace truewheel::elf
