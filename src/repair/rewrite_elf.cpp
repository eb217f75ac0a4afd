// SPDX-License-Identifier: Apache-2.0
#include "repair/rewrite_elf.hpp"

#include "base/deflate_blocks.hpp"
#include "base/deflate_splice.hpp"
#include "base/hash.hpp"
#include "base/inflate.hpp"
#include "base/mapped_file.hpp"
#include "base/mapped_pages.hpp"
#include "base/parallel.hpp"
#include "base/pieces.hpp"
#include "base/sparse_content.hpp"
#include "base/text.hpp"
#include "repair/edit_passing.hpp"
#include "repair/host_library.hpp"
#include "repair/strip.hpp"
#include "repair/untouched_pages.hpp"
#include "wheel/zip_format.hpp"
#include <truewheel/error.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace truewheel::repair {
namespace {

/// SHA-256 and CRC-32 in pieces that stay in the cache for both.
Buffer digest_and_crc(Bytes bytes, std::uint32_t& crc) {
  Hasher hasher;
  for_each_piece(bytes, [&](Bytes piece) {
    crc = crc32(crc, piece);
    hasher.update(piece);
  });
  return hasher.finish();
}

/// A file's bytes, in memory or as they lie on the disk, and the deflate stream that they came in,
/// if they did.
struct Opened {
  MappedPages content;
  std::optional<MappedFile> file;
  Bytes stream;
  std::vector<DeflateBlock> blocks;
  bool is_library = false;  ///< a file of this machine, to which others may write

  [[nodiscard]] Bytes bytes() const { return file ? file->bytes() : Bytes(content.bytes()); }
};

/// A copy; `copied` is told what of the bytes is done with.
Opened hold(Bytes bytes, const std::function<void(Bytes)>& copied) {
  Opened held;
  held.content = MappedPages::memory(bytes.size());
  auto to = held.content.bytes().begin();
  for_each_piece(bytes, [&](Bytes piece) {
    to = std::copy(piece.begin(), piece.end(), to);
    copied(piece);
  });
  return held;
}

Opened open_member(const ElfSource& source) {
  const auto& member = *source.member;
  const Bytes archive = source.archive->bytes();
  if (member.method != wheel::kDeflate) {
    return hold(wheel::read_member(archive, member).bytes(),
                [&](Bytes piece) { source.archive->drop(piece); });
  }
  const auto stream = wheel::packed_bytes(archive, member);
  wheel::StreamMap map;
  if (source.held) map = std::move(source.held->map);
  if (source.held && source.held->content.bytes().size() == member.size) {
    return {std::move(source.held->content), {}, stream, std::move(map.blocks), false};
  }
  auto content = MappedPages::memory(member.size);
  try {
    map.blocks = wheel::inflate_member(archive, member, content.bytes(), {});
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::refused) throw;
    throw Error(ErrorKind::io, "input-changed", "the input changed while it was repaired");
  }
  return {std::move(content), {}, stream, std::move(map.blocks), false};
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
  if (source.member != nullptr) return open_member(source);
  return {{}, open_library(source.host_path, source.host_stamp), {}, {}, true};
}

void require_unchanged(const ElfSource& source, const Opened& opened) {
  if (opened.is_library && !opened.file->unchanged()) fail_changed_library(source.host_path);
}

/// Strips it where that leaves a file that loads.
void strip(const ElfSource& source, const elf::ElfEdit& edit, const Options& options,
           Opened& opened, OutputMember& output, EditedFile& record) {
  const auto used = [&](Bytes piece) {
    if (opened.file) opened.file->drop(piece);
  };
  auto split =
      options.strip == Strip::split
          ? split_symbols(opened.bytes(), std::string(base_name(source.name)) + ".debug", used)
          : SplitFile{strip_symbols(opened.bytes(), used), nullptr};
  if (!is_sound(split.stripped.bytes(), edit)) {
    record.strip_failure = "the system's strip damages this file, so that it stays unstripped";
    return;
  }
  require_unchanged(source, opened);
  opened = Opened{{}, std::move(split.stripped), {}, {}, false};
  output.debug = std::move(split.debug);
  record.steps.emplace_back(output.debug ? "stripped into a debug file" : "stripped");
}

/// Edits the content where it is. What the checks look at of the file as it was is put aside
/// before; when they look at more, that is there still, since no patch touched it.
void edit_in_place(MappedPages& content, const elf::ElfEdit& edit, const elf::PatchList& patches) {
  constexpr std::uint64_t kReadAhead = 64ULL << 10;
  const std::uint64_t old_size = content.bytes().size();
  SparseContent before(old_size);
  for (const auto& range : elf::likely_ranges(content.bytes(), old_size)) {
    before.want({range.begin, range.end});
  }
  for (const auto& patch : patches.patches) {
    before.want({patch.offset, patch.offset + patch.bytes.size()});
  }
  before.want({patches.keep, old_size});
  before.offer(0, content.bytes());

  content.resize(patches.keep + patches.tail.size());
  std::copy(patches.tail.begin(), patches.tail.end(),
            content.bytes().begin() + static_cast<std::ptrdiff_t>(patches.keep));
  elf::put_patches(content.bytes(), patches);

  while (true) {
    std::optional<Error> broken;
    try {
      require_sound(before.bytes(), content.bytes(), edit, patches);
    } catch (const Error& error) {
      broken = error;
    }
    const auto missed = before.missed();
    if (missed.empty()) {
      if (broken) throw Error(*broken);
      return;
    }
    for (const auto& range : missed) {
      const std::uint64_t end = std::min(range.end + kReadAhead, patches.keep);
      before.add({range.begin, end}, content.bytes());
    }
  }
}

/// The edited file. One that lies on the disk shares with it all pages that the edit does not
/// touch.
MappedPages edited_version(Opened& opened, const elf::ElfEdit& edit,
                           const elf::PatchList& patches) {
  if (!opened.file) {
    if (!patches.changes_nothing(opened.bytes().size())) {
      edit_in_place(opened.content, edit, patches);
    }
    return std::move(opened.content);
  }
  auto version = opened.file->version(patches.keep, patches.tail);
  elf::put_patches(version.bytes(), patches);
  require_sound(opened.file->bytes(), version.bytes(), edit, patches);
  return version;
}

/// The compressed form of a content, and the content's hash for RECORD.
struct Proven {
  wheel::EncodedMember encoded;
  std::string sha256;
};

/// Inflates what was encoded, piece by piece while it is in the cache, holds it against the content
/// and the CRC, and hashes it: RECORD's hash is that of bytes that came out of the stream. `used`
/// is told what of the content was looked at.
Proven prove(wheel::EncodedMember encoded, Bytes content, const std::function<void(Bytes)>& used) {
  Hasher hasher;
  std::uint32_t crc = 0;
  Bytes rest = content;
  Bytes untold = content;
  bool is_same = true;
  const auto check = [&](Bytes piece) {
    is_same = is_same && std::equal(piece.begin(), piece.end(), rest.begin());
    rest = rest.subspan(piece.size());
    crc = crc32(crc, piece);
    hasher.update(piece);
    if (used && untold.size() - rest.size() >= kPieceSize) {
      used(untold.first(untold.size() - rest.size()));
      untold = rest;
    }
  };
  if (encoded.method == wheel::kDeflate) {
    is_same = !inflate_in_pieces(encoded.compressed, content.size(), check) && is_same;
  } else {
    is_same = encoded.compressed.size() == content.size();
    if (is_same) for_each_piece(encoded.compressed, check);
  }
  if (!is_same || !rest.empty() || crc != encoded.crc) {
    throw Error(ErrorKind::withheld, "encoded-wrong", "the compressed bytes are not the content's",
                "this is a fault of truewheel; please report it");
  }
  return {std::move(encoded), base64url(hasher.finish())};
}

/// From this size on memory counts for more than time.
constexpr std::uint64_t kLarge = std::uint64_t{64} << 20U;

/// A large file that the build did not compress stays so, and is not held twice.
int level_of(const ElfSource& source, std::uint64_t size, const Options& options) {
  const bool was_stored = source.member != nullptr && source.member->method == wheel::kStored;
  return was_stored && size > kLarge ? 0 : options.compression_level;
}

/// The blocks that did not change are copied; where there are none, or too few, all is compressed.
Proven encode(const ElfSource& source, const Opened& opened, std::uint64_t old_size,
              const std::shared_ptr<MappedPages>& content, const elf::PatchList& patches,
              const Options& options) {
  const Bytes edited = content->bytes();
  // Level 0 asks for no compression at all.
  if (!opened.blocks.empty() && options.compression_level != 0) {
    auto changed = changed_ranges(patches, old_size);
    // Two cores are a help to a file that keeps one busy for long; the splice is proven already, at
    // the price of what it encoded (splice_proof.hpp).
    constexpr std::uint64_t kWorthTwo = 24ULL << 20;
    constexpr std::size_t kSplice = 0;
    std::optional<Buffer> stream;
    wheel::EncodedMember encoded;
    Buffer digest;
    parallel_for(
        2, edited.size() >= kWorthTwo ? options.inspect.jobs : 1, 2, [](std::size_t) { return 1; },
        [&](std::size_t part) {
          if (part == kSplice) {
            stream = splice_deflate(opened.stream, opened.blocks, edited, old_size,
                                    std::move(changed), options.compression_level,
                                    [&](Bytes used) { source.archive->drop(used); });
          } else {
            digest = digest_and_crc(edited, encoded.crc);
          }
        });
    if (stream) {
      encoded.name = source.name;
      encoded.executable = source.executable;
      encoded.method = wheel::kDeflate;
      encoded.size = edited.size();
      encoded.own(std::move(*stream));
      return {std::move(encoded), base64url(digest)};
    }
  }
  wheel::Encoding encoding;
  encoding.level = level_of(source, edited.size(), options);
  encoding.jobs = options.inspect.jobs;
  // To a library of this machine another process may yet write: it is stored as a copy.
  if (!opened.is_library) encoding.keeper = content;
  if (opened.file && edited.size() > kLarge) {
    encoding.used = drop_untouched(*content, changed_ranges(patches, old_size));
  }
  auto encoded = wheel::encode_member(source.name, source.executable, edited, encoding);
  if (encoding.keeper && encoding.used && encoded.owned == encoding.keeper) {
    encoded.drop = [content, used = encoding.used](Bytes piece) { used(piece); };
  }
  try {
    return prove(std::move(encoded), edited, encoding.used);
  } catch (const Error& error) {
    if (!opened.is_library) throw;
    // Who writes through a mapping moves the file's time later.
    throw Error(error.kind(), error.id(), error.what(),
                "does another process write to " + printable(source.host_path) +
                    "? If not, this is a fault of truewheel; please report it");
  }
}

void note_patches(const elf::PatchList& patches, EditedFile& record) {
  record.growth = patches.growth;
  record.moves_headers = patches.moves_headers;
  record.breaks_strip = patches.breaks_strip;
  record.buries_payload = patches.buries_payload;
  record.steps.insert(record.steps.end(), patches.steps.begin(), patches.steps.end());
}

void rewrite(const ElfSource& source, Opened& opened, const elf::ElfEdit& edit,
             const Options& options, OutputMember& output, EditedFile& record) {
  if (options.strip != Strip::no && has_symbols(opened.bytes())) {
    strip(source, edit, options, opened, output, record);
  }
  const auto patches = elf::plan_edit(opened.bytes(), edit);
  note_patches(patches, record);
  const auto old_size = opened.bytes().size();
  const auto edited = std::make_shared<MappedPages>(edited_version(opened, edit, patches));
  auto proven = encode(source, opened, old_size, edited, patches, options);
  output.encoded = std::move(proven.encoded);
  output.sha256 = std::move(proven.sha256);
  output.facts = std::make_shared<const elf::ElfFacts>(elf::inspect(edited->bytes()));
}

}  // namespace

void require_sound(Bytes before, Bytes after, const elf::ElfEdit& edit,
                   const elf::PatchList& patches) {
  try {
    elf::require_sound_edit(before, after, edit, patches, elf::Unpatched::shared);
  } catch (const Error& error) {
    // A wheel with such a file is withheld (exit 5); that is no crash of the program.
    if (error.kind() != ErrorKind::internal) throw;
    throw Error(ErrorKind::withheld, error.id(), error.what(),
                "this is a fault of truewheel; please report it");
  }
}

std::vector<ContentRange> changed_ranges(const elf::PatchList& patches, std::uint64_t old_size) {
  const std::uint64_t new_size = patches.keep + patches.tail.size();
  std::vector<ContentRange> changed{{patches.keep, std::max(old_size, new_size)}};
  for (const auto& patch : patches.patches) {
    changed.push_back({patch.offset, patch.offset + patch.bytes.size()});
  }
  return changed;
}

OutputMember rewrite_elf(const ElfSource& source, const elf::ElfEdit& edit, const Options& options,
                         EditedFile& record) {
  OutputMember output;
  if (options.strip == Strip::no && source.held && source.held->sparse) {
    if (auto passed = edit_passing(source, edit, options)) {
      note_patches(passed->patches, record);
      passed->encoded.name = source.name;
      passed->encoded.executable = source.executable;
      output.encoded = std::move(passed->encoded);
      output.sha256 = std::move(passed->sha256);
      output.facts = std::move(passed->facts);
      return output;
    }
  }
  auto opened = open_source(source);
  try {
    rewrite(source, opened, edit, options, output, record);
  } catch (const Error&) {
    // Of a library that changes meanwhile anything may seem wrong.
    require_unchanged(source, opened);
    throw;
  }
  require_unchanged(source, opened);
  return output;
}

}  // namespace truewheel::repair
