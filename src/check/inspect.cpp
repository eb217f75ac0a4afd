// SPDX-License-Identifier: Apache-2.0
#include "base/byte_reader.hpp"
#include "base/hash.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "check/subject.hpp"
#include "elf/check.hpp"
#include "elf/format.hpp"
#include "elf/image.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace truewheel::check {
namespace {

/// Inflated bytes that all workers together may hold.
constexpr std::uint64_t kBytesInFlight = 128ULL << 20;

/// Sections whose bytes are programs for another processor: CUDA's fat binaries, HIP's, and clang's
/// offload bundles.
constexpr std::array<std::string_view, 7> kDeviceSections = {
    ".nv_fatbin",        "__nv_relfatbin",   ".nvFatBinSegment",        ".hip_fatbin",
    ".hipFatBinSegment", ".llvm.offloading", "__CLANG_OFFLOAD_BUNDLE__"};

void digest_device_sections(const elf::ElfImage& image, Inspected& inspected) {
  for (const auto& section : image.sections()) {
    const auto name = image.section_name(section);
    const bool is_device = std::any_of(kDeviceSections.begin(), kDeviceSections.end(),
                                       [&](auto known) { return name.starts_with(known); });
    constexpr std::uint32_t kNoBits = 8;
    if (!is_device || section.type == kNoBits || section.offset > image.file().size() ||
        section.size > image.file().size() - section.offset) {
      continue;
    }
    const auto bytes = image.file().subspan(static_cast<std::size_t>(section.offset),
                                            static_cast<std::size_t>(section.size));
    inspected.device_sections[std::string(name)] = hex(sha256(bytes));
  }
}

/// LOADs that share a page of memory: the second is mapped over the first. Pages are those of the
/// largest kernel of the machine that is in use (64 KiB on aarch64 and ppc64), unless the linker
/// laid all of the file out for smaller ones (Android's 4 and 16 KiB); p_align of 2 MiB is no page
/// of anybody.
void find_shared_pages(const elf::ElfImage& image, Inspected& inspected) {
  constexpr std::uint16_t kAarch64 = 183;
  constexpr std::uint16_t kPpc64 = 21;
  const auto machine = image.header().machine;
  std::uint64_t alignment = 4096;
  for (const auto& segment : image.segments()) {
    if (segment.type == elf::pt::kLoad) alignment = std::max(alignment, segment.align);
  }
  const std::uint64_t largest = machine == kAarch64 || machine == kPpc64 ? 65536 : 4096;
  const auto page = std::min(largest, alignment);
  const elf::Segment* previous = nullptr;
  std::size_t number = 0;
  for (const auto& segment : image.segments()) {
    if (segment.type != elf::pt::kLoad) continue;
    ++number;
    if (previous != nullptr && previous->memsz != 0 && segment.memsz != 0 &&
        segment.vaddr / page <= (previous->vaddr + previous->memsz - 1) / page) {
      inspected.complaints.push_back(
          fmt::format("page: LOAD {} begins in the {} KiB page that LOAD {} ends in", number,
                      page / 1024, number - 1));
    }
    previous = &segment;
  }
}

/// The architecture of the tags, or the one that most ELF files have.
std::string architecture_of(const Subject& subject, const std::vector<Inspected>& inspected) {
  if (subject.wheel_name) {
    for (const auto& tag : subject.wheel_name->platform_tags) {
      auto architecture = policy::parse_platform_tag(tag).architecture;
      if (!architecture.empty()) return architecture;
    }
  }
  std::map<std::string, std::size_t> votes;
  for (const auto& file : inspected) {
    if (!file.identity || (file.identity->type != 2 && file.identity->type != 3)) continue;
    if (const auto architecture = policy::architecture_of(*file.identity)) ++votes[*architecture];
  }
  const auto most = std::max_element(
      votes.begin(), votes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == votes.end() ? std::string() : most->first;
}

}  // namespace

void inspect_content(Bytes content, const Options& options, Inspected& inspected) {
  inspected.member.is_elf = elf::has_elf_magic(content);
  if (!inspected.member.is_elf) return;
  inspected.identity = elf::identify(content);
  try {
    using elf::FileKind;
    const auto kind = elf::classify(content);
    if (kind != FileKind::shared_object && kind != FileKind::pie && kind != FileKind::executable &&
        kind != FileKind::static_executable) {
      return;
    }
    inspected.facts = std::make_shared<const elf::ElfFacts>(elf::inspect(content));
    const elf::ElfImage image(content);
    inspected.complaints = elf::check_structure(image);
    if (image.distrusts_sections()) {
      inspected.complaints.emplace_back(
          "the section of a dynamic table is not where its dynamic tag says");
    }
    find_shared_pages(image, inspected);
    if (options.compare_with) digest_device_sections(image, inspected);
  } catch (const Error& error) {
    inspected.error = error;
  }
}

std::vector<Inspected> inspect_all(std::size_t count, unsigned jobs,
                                   const std::function<std::uint64_t(std::size_t)>& cost,
                                   const std::function<Inspected(std::size_t)>& inspect) {
  std::vector<Inspected> inspected(count);
  parallel_for(count, jobs, kBytesInFlight, cost,
               [&](std::size_t i) { inspected[i] = inspect(i); });
  return inspected;
}

void settle(Subject& subject, std::vector<Inspected> inspected) {
  subject.architecture = architecture_of(subject, inspected);
  bool has_own = false;
  for (auto& file : inspected) {
    const std::size_t index = subject.members.size();
    subject.members.push_back(std::move(file.member));
    const Member& member = subject.members.back();
    if (!member.is_elf) continue;
    const auto fault = [&](Severity severity, std::string id, std::string what) {
      subject.elf_faults.push_back({std::move(id), severity, member.path, std::move(what), {}});
    };
    if (!file.identity) {
      fault(Severity::warning, "E001", "begins like an ELF file but has no whole ELF header");
      continue;
    }
    if (file.identity->type != 2 && file.identity->type != 3) continue;
    const auto architecture = policy::architecture_of(*file.identity);
    if (!policy::serves(architecture, subject.architecture)) {
      fault(Severity::warning, "T005",
            fmt::format("is an ELF file for {}, not for {}",
                        architecture ? *architecture : "another machine", subject.architecture));
      continue;
    }
    has_own = true;
    if (file.error) {
      const auto where = file.error->where();
      fault(Severity::error, "E001",
            (where.empty() ? "" : where + ": ") + std::string(file.error->what()));
      continue;
    }
    // Separate debug files have no business with a loader; of static programs only the headers
    // and the needs of the kernel count.
    if (!file.facts ||
        (!file.facts->is_dynamic() && file.facts->kind != elf::FileKind::static_executable)) {
      continue;
    }
    auto place = file.place.empty() ? member.path : file.place;
    subject.layout.push_back({std::move(place), file.facts, std::move(file.tree)});
    subject.files.push_back(
        {index, file.facts, std::move(file.complaints), std::move(file.device_sections), false});
  }
  // Beside the wheel's own ELF files another machine's may be data. Alone they are the build of
  // another machine.
  if (has_own) return;
  for (auto& fault : subject.elf_faults) {
    if (fault.id == "T005") fault.severity = Severity::error;
  }
}

}  // namespace truewheel::check
