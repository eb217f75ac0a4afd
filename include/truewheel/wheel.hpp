// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/bytes.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace truewheel::wheel {

/// A wheel's file name (PEP 427):
/// {distribution}-{version}(-{build})?-{python}-{abi}-{platform}.whl. A seventh or a sixth
/// non-numeric part is a PEP 825 variant label, kept as it is.
struct WheelName {
  std::string distribution;
  std::string version;
  std::string build;  ///< with its leading digit, or empty
  std::vector<std::string> python_tags;
  std::vector<std::string> abi_tags;
  std::vector<std::string> platform_tags;
  std::string variant;  ///< variant label, or empty

  /// The file name; platform tags in the order they are held.
  [[nodiscard]] std::string format() const;
  /// Every python-abi-platform triple, in WHEEL's order (python, abi, platform nested).
  [[nodiscard]] std::vector<std::string> expanded_tags() const;
};
/// Throws Error(refused, "wheel-name").
[[nodiscard]] WheelName parse_wheel_name(std::string_view file_name);

/// PEP 503 name with `_`, and PEP 440 version normalised as far as comparing dist-info folders
/// needs.
[[nodiscard]] std::string normalized_distribution(std::string_view name);

/// One file of a wheel, as both of its headers describe it.
struct Member {
  std::string name;
  std::uint16_t method = 0;  ///< 0 stored, 8 deflate; nothing else passes the scanner
  std::uint32_t crc = 0;     ///< CRC-32 of the content
  std::uint64_t compressed_size = 0;
  std::uint64_t size = 0;
  std::uint64_t data_offset = 0;  ///< of the compressed bytes in the archive file
  bool executable = false;        ///< any execute bit set
};

struct ScanLimits {
  double max_ratio = 50;                 ///< sum of sizes / file size, once the sum is over 64 MiB
  std::uint64_t max_total = 1ULL << 40;  ///< hard cap on the sum of uncompressed sizes, bytes
};

/// The map of an archive file: what reading front to back and reading from the end record agree on.
struct Scan {
  std::vector<Member> members;  ///< files only, in archive order; folder entries are dropped
  /// Ordinary oddities that an output has not, one sentence each (descriptors, comments).
  std::vector<std::string> notes;
  /// Oddities that an output has not and that are worth a word: NUL bytes behind the archive.
  std::vector<std::string> warnings;
  /// What is worth a word about members' names, which a repair keeps as they are.
  std::vector<std::string> name_notes;
  /// The same about names that one file system cannot hold apart.
  std::vector<std::string> collisions;
};

/// Reads the framing of a wheel strictly: from the front and from its end record it must be the
/// same. Content is not inflated. Throws Error(refused, "zip-…").
[[nodiscard]] Scan scan(Bytes archive, const ScanLimits& limits = {});

/// A member's content: stored members are a view of the archive, deflated ones own their bytes.
class Content {
 public:
  explicit Content(Bytes view) : view_(view) {}
  Content(std::unique_ptr<const std::uint8_t[]> bytes, std::size_t size)
      : owned_(std::move(bytes)), view_(owned_.get(), size) {}
  Content(Content&&) noexcept = default;
  Content& operator=(Content&&) noexcept = default;
  [[nodiscard]] Bytes bytes() const { return view_; }

 private:
  std::unique_ptr<const std::uint8_t[]> owned_;
  Bytes view_;
};

/// A member's bytes as they lie in the archive whose scan it comes from.
[[nodiscard]] inline Bytes packed_bytes(Bytes archive, const Member& member) {
  return archive.subspan(static_cast<std::size_t>(member.data_offset),
                         static_cast<std::size_t>(member.compressed_size));
}

/// Inflates a member and checks that the stream ends exactly where it must, its size and its CRC.
/// `sink` gets the content in pieces, in order, each while it is in the processor's cache.
/// Throws Error(refused, "zip-content"), context: the member's name.
[[nodiscard]] Content read_member(Bytes archive, const Member& member,
                                  const std::function<void(Bytes)>& sink = {});

/// The same for members too large to hold. `used` is told from time to time which compressed bytes
/// are not looked at again.
void stream_member(Bytes archive, const Member& member, const std::function<void(Bytes)>& sink,
                   const std::function<void(Bytes)>& used = {});

/// A row of RECORD. `hash` is "sha256=…" as written, or empty; `size` is nullopt when empty.
struct RecordRow {
  std::string path;
  std::string hash;
  std::optional<std::uint64_t> size;
};
/// How many rows a RECORD is read of for an archive of so many members. A few kilobytes of deflate
/// become millions of rows, each of which takes memory.
[[nodiscard]] constexpr std::size_t most_record_rows(std::size_t members) {
  return 2 * members + 4096;
}
/// Throws Error(refused, "record-…") on text that is not RECORD's CSV (PEP 376),
/// or that has more rows than `most_rows`.
[[nodiscard]] std::vector<RecordRow> parse_record(std::string_view text,
                                                  std::size_t most_rows = SIZE_MAX);
/// RECORD's text: rows as given, quoted where they must be, "\n" line ends.
[[nodiscard]] std::string format_record(const std::vector<RecordRow>& rows);

/// A file's content as RECORD describes it; digests are unpadded url-safe base64.
struct Digest {
  std::string name;
  std::string sha256;
  std::uint64_t size = 0;
};
/// Holds the rows of RECORD against what the archive contains. `reread(name)` returns the content
/// of a member whose row has another algorithm than sha256 (sha384, sha512, sha3_*, blake2b are
/// understood). Returns one sentence a mismatch: wrong hash, wrong size, missing row, row without
/// member, duplicate row.
[[nodiscard]] std::vector<std::string> verify_record(
    const std::vector<RecordRow>& rows, const std::vector<Digest>& members,
    const std::string& record_path, const std::function<Content(const std::string&)>& reread);

/// The WHEEL file: its headers in order; tags are edited, everything else is kept as it is.
class WheelMetadata {
 public:
  /// Throws Error(refused, "wheel-metadata…"): not UTF-8, no Wheel-Version, a major version
  /// above 1.
  static WheelMetadata parse(std::string_view text);
  [[nodiscard]] std::vector<std::string> tags() const;
  [[nodiscard]] bool root_is_purelib() const;
  void set_tags(const std::vector<std::string>& tags);
  void set_root_is_purelib(bool value);  ///< leaves exactly one Root-Is-Purelib line
  [[nodiscard]] std::string format() const;
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  std::vector<std::pair<std::string, std::string>> headers_;
  std::string rest_;  ///< whatever follows the headers, verbatim
  std::vector<std::string> notes_;
};

/// The distributions that METADATA's Requires-Dist ask for, whatever their markers and extras:
/// normalised, sorted.
[[nodiscard]] std::vector<std::string> required_distributions(std::string_view metadata);

/// The one `.dist-info` folder at the root that belongs to the file name, without a trailing slash.
/// Throws Error(refused, "dist-info-…") for none, several, or one of another distribution (Z45).
[[nodiscard]] std::string find_dist_info(const std::vector<Member>& members, const WheelName& name);

/// Where a member lands, relative to the installation root: `.data/platlib/` and `.data/purelib/`
/// are the root.
struct InstalledPath {
  enum class Scheme { root, purelib, scripts, data, headers } scheme = Scheme::root;
  std::string path;  ///< relative to that scheme's folder
};
[[nodiscard]] InstalledPath installed_path(std::string_view member_name,
                                           std::string_view dist_info);

/// What an installer stumbles over or a user would rather know.
struct LayoutNote {
  enum class About {
    data,         ///< an unknown key under `.data`, a file that replaces the interpreter (Z48)
    entry_point,  ///< an entry point whose name is a path (Z49)
  } about = About::data;
  std::string sentence;
};
/// `entry_points` is the text of entry_points.txt or empty.
[[nodiscard]] std::vector<LayoutNote> layout_notes(const std::vector<Member>& members,
                                                   std::string_view dist_info,
                                                   std::string_view entry_points);

/// A compressed member on its way into a new archive.
struct EncodedMember {
  std::string name;
  bool executable = false;
  std::uint16_t method = 0;
  std::uint32_t crc = 0;
  std::uint64_t size = 0;
  Bytes compressed;                   ///< a view: of the input archive, or of `owned`
  std::shared_ptr<const void> owned;  ///< keeps what `compressed` views
  /// Told which compressed bytes are not looked at for a while; empty where they are not on a disk.
  std::function<void(Bytes)> drop = nullptr;

  /// Makes them these bytes.
  void own(Buffer bytes);
};
/// How a member's content is compressed.
struct Encoding {
  int level = 5;      ///< libdeflate's, 1-9; 0 stores
  unsigned jobs = 1;  ///< threads that a large content may take (0: one a core)
  std::shared_ptr<const void> keeper = nullptr;  ///< keeps the content: stored without a copy
  /// Told which bytes of a large content are not needed for a while.
  std::function<void(Bytes)> used = nullptr;
};
/// Compresses content; stores it when deflate does not make it smaller. The bytes depend on content
/// and level alone.
[[nodiscard]] EncodedMember encode_member(std::string name, bool executable, Bytes content,
                                          const Encoding& encoding);

/// Seconds since 1970 that go into every member: SOURCE_DATE_EPOCH or 1980-01-01, clamped to what
/// zip can say.
struct ArchiveTime {
  std::int64_t seconds = 315532800;
};

/// Writes a whole archive to an open file descriptor through libzip, in the order given, in the
/// one normal form (no descriptors, extras or comments); compressed bytes are copied as they are.
/// The descriptor's position ends at the archive's end. `used`, which may not throw, is told from
/// time to time which compressed bytes are not looked at again. Throws Error(io) with the failing
/// operation.
void write_archive(int descriptor, const std::vector<EncodedMember>& members,
                   const ArchiveTime& time, const std::function<void(Bytes)>& used = {});

}  // namespace truewheel::wheel
