// SPDX-License-Identifier: Apache-2.0
#include "base/deflate.hpp"
#include "base/hash.hpp"
#include "wheel/zip_format.hpp"
#include <truewheel/error.hpp>
#include <truewheel/wheel.hpp>

#include <memory>
#include <utility>

namespace truewheel::wheel {

EncodedMember encode_member(std::string name, bool executable, Bytes content, int level) {
  if (level < 0 || level > 9) {
    throw Error(ErrorKind::internal, "compression-level",
                "the compression level is not one of 0 to 9");
  }
  EncodedMember member;
  member.name = std::move(name);
  member.executable = executable;
  member.crc = crc32(0, content);
  member.size = content.size();
  auto smaller = level == 0 ? std::nullopt : deflate_smaller(content, level);
  member.method = smaller ? kDeflate : kStored;
  member.owned = std::make_shared<const Buffer>(smaller ? std::move(*smaller)
                                                        : Buffer(content.begin(), content.end()));
  member.compressed = *member.owned;
  return member;
}

}  // namespace truewheel::wheel
