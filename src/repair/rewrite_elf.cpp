// SPDX-License-Identifier: Apache-2.0
#include "repair/rewrite_elf.hpp"

#include "base/deflate_blocks.hpp"
#include "base/deflate_splice.hpp"
#include "base/hash.hpp"
#include "base/inflate.hpp"
#include "base/mapped_file.hpp"
#include "base/parallel.hpp"
#include "base/shared_content.hpp"
#include "base/text.hpp"
#include "repair/strip.hpp"
#include <truewheel/error.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace truewheel::repair {
namespace {

constexpr std::uint16_t kDeflated = 8;

/// SHA-256 and CRC-32 in pieces that stay in the cache for both.
Buffer digest_and_crc(Bytes bytes, std::uint32_t& crc) {
  constexpr std::size_t kPiece = std::size_t{256} << 10U;
  Hasher hasher;
  while (!bytes.empty()) {
    const Bytes piece = bytes.first(std::min(kPiece, bytes.size()));
    bytes = bytes.subspan(piece.size());
    crc = crc32(crc, piece);
    hasher.update(piece);
  }
  return hasher.finish();
}

/// A file's bytes, and the deflate stream that they came in, if they did.
struct Opened {
  SharedContent content;
  Bytes stream;
  std::vector<DeflateBlock> blocks;
};

Opened hold(Bytes bytes) {
  SharedContent content(bytes.size(), SharedContent::Pages::at_once);
  std::copy(bytes.begin(), bytes.end(), content.bytes().begin());
  return {std::move(content), {}, {}};
}

Opened open_member(Bytes archive, const wheel::Member& member) {
  if (member.method != kDeflated) return hold(wheel::read_member(archive, member).bytes());
  const auto stream = archive.subspan(static_cast<std::size_t>(member.data_offset),
                                      static_cast<std::size_t>(member.compressed_size));
  SharedContent content(member.size, SharedContent::Pages::at_once);
  auto blocks = inflate_and_index(stream, content.bytes());
  if (crc32(0, content.bytes()) != member.crc) {
    throw Error(ErrorKind::io, "input-changed", "the input changed while it was repaired");
  }
  return {std::move(content), stream, std::move(blocks)};
}

/// What strip makes of a file that another tool has laid out anew is not always a file that loads.
bool is_sound(Bytes stripped, const elf::ElfEdit& edit) {
  try {
    static_cast<void>(elf::inspect(stripped));
    static_cast<void>(elf::plan_edit(stripped, edit));
    return true;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::refused) throw;
    return false;
  }
}

Opened open_source(const ElfSource& source) {
  if (source.held) {
    const auto& member = *source.member;
    return {std::move(source.held->content),
            source.archive.subspan(static_cast<std::size_t>(member.data_offset),
                                   static_cast<std::size_t>(member.compressed_size)),
            std::move(source.held->blocks)};
  }
  return source.member != nullptr ? open_member(source.archive, *source.member)
                                  : hold(MappedFile(source.host_path).bytes());
}

/// The edited file, sharing with the content all pages that the edit does not touch.
MappedPages edited_version(const SharedContent& content, const elf::ElfEdit& edit,
                           const elf::PatchList& patches) {
  auto version = content.version(patches.keep, patches.tail);
  elf::put_patches(version.bytes(), patches);
  try {
    elf::require_sound_edit(content.bytes(), version.bytes(), edit, patches,
                            elf::Unpatched::shared);
  } catch (const Error& error) {
    // A wheel with such a file is withheld (DESIGN.md, ELF: exit 5), not a crash of the program.
    if (error.kind() != ErrorKind::internal) throw;
    throw Error(ErrorKind::withheld, error.id(), error.what(),
                "this is a fault of truewheel; please report it");
  }
  return version;
}

/// The compressed form of a content, and the content's hash for RECORD.
struct Proven {
  wheel::EncodedMember encoded;
  std::string sha256;
};

/// Inflates what was encoded, piece by piece while it is in the cache, holds it against the content
/// and hashes it: RECORD's hash is that of bytes that came out of the stream.
Proven prove(wheel::EncodedMember encoded, Bytes content) {
  Hasher hasher;
  Bytes rest = content;
  bool is_same = true;
  const auto check = [&](Bytes piece) {
    is_same = is_same && std::equal(piece.begin(), piece.end(), rest.begin());
    rest = rest.subspan(piece.size());
    hasher.update(piece);
  };
  if (encoded.method == kDeflated) {
    is_same = !inflate_in_pieces(encoded.compressed, content.size(), check) && is_same;
  } else {
    is_same = encoded.compressed.size() == content.size();
    if (is_same) check(encoded.compressed);
  }
  if (!is_same || !rest.empty()) {
    throw Error(ErrorKind::withheld, "encoded-wrong", "the compressed bytes are not the content's",
                "this is a fault of truewheel; please report it");
  }
  return {std::move(encoded), base64url(hasher.finish())};
}

/// The blocks that did not change are copied; where there are none, or too few, all is compressed.
Proven encode(const ElfSource& source, const Opened& opened, std::uint64_t old_size, Bytes edited,
              const elf::PatchList& patches, const Options& options) {
  // Level 0 asks for no compression at all.
  if (!opened.blocks.empty() && options.compression_level != 0) {
    std::vector<ContentRange> changed{
        {patches.keep, std::max<std::uint64_t>(old_size, edited.size())}};
    for (const auto& patch : patches.patches) {
      changed.push_back({patch.offset, patch.offset + patch.bytes.size()});
    }
    // Two cores are a help to a file that keeps one busy for long; the splice is proven already, at
    // the price of what it encoded (splice_proof.hpp).
    constexpr std::uint64_t kLarge = 24ULL << 20;
    constexpr std::size_t kSplice = 0;
    std::optional<Buffer> stream;
    wheel::EncodedMember encoded;
    Buffer digest;
    parallel_for(
        2, edited.size() >= kLarge ? options.inspect.jobs : 1, 2, [](std::size_t) { return 1; },
        [&](std::size_t part) {
          if (part == kSplice) {
            stream = splice_deflate(opened.stream, opened.blocks, edited, old_size,
                                    std::move(changed), options.compression_level);
          } else {
            digest = digest_and_crc(edited, encoded.crc);
          }
        });
    if (stream) {
      encoded.name = source.name;
      encoded.executable = source.executable;
      encoded.method = kDeflated;
      encoded.size = edited.size();
      encoded.owned = std::make_shared<const Buffer>(std::move(*stream));
      encoded.compressed = *encoded.owned;
      return {std::move(encoded), base64url(digest)};
    }
  }
  return prove(
      wheel::encode_member(source.name, source.executable, edited, options.compression_level),
      edited);
}

}  // namespace

OutputMember rewrite_elf(const ElfSource& source, const elf::ElfEdit& edit, const Options& options,
                         EditedFile& record) {
  auto opened = open_source(source);
  OutputMember output;
  if (options.strip != Strip::no) {
    auto split =
        options.strip == Strip::split
            ? split_symbols(opened.content.bytes(), std::string(base_name(source.name)) + ".debug")
            : SplitFile{strip_symbols(opened.content.bytes()), nullptr};
    if (is_sound(split.stripped, edit)) {
      opened = hold(split.stripped);
      output.debug = std::move(split.debug);
      record.steps.emplace_back(output.debug ? "stripped into a debug file" : "stripped");
    } else {
      record.strip_failure = "the system's strip damages this file, so that it stays unstripped";
    }
  }

  const auto patches = elf::plan_edit(opened.content.bytes(), edit);
  record.growth = patches.growth;
  record.steps.insert(record.steps.end(), patches.steps.begin(), patches.steps.end());

  const auto old_size = opened.content.bytes().size();
  const auto edited = edited_version(opened.content, edit, patches);
  opened.content.forget();

  auto proven = encode(source, opened, old_size, edited.bytes(), patches, options);
  output.encoded = std::move(proven.encoded);
  output.sha256 = std::move(proven.sha256);
  output.facts = std::make_shared<const elf::ElfFacts>(elf::inspect(edited.bytes()));
  return output;
}

}  // namespace truewheel::repair
