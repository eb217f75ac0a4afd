// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/check.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace truewheel::check {

/// A member with what one look at its content told.
struct Inspected {
  Member member;
  std::optional<elf::Identity> identity;
  std::shared_ptr<const elf::ElfFacts> facts;  ///< of a file that a loader or the kernel maps
  std::vector<std::string> complaints;
  std::map<std::string, std::string> device_sections;
  std::optional<Error> error;  ///< decided about when the subject's architecture is known
  std::string place;           ///< in the installed layout; empty: the member's path
  std::string tree;
};

/// Fills in all but the member's name, mode and digest from the content.
void inspect_content(Bytes content, const Options& options, Inspected& inspected);

/// inspect() for each index, on several threads, with a bound on what is in memory at once.
[[nodiscard]] std::vector<Inspected> inspect_all(
    std::size_t count, unsigned jobs, const std::function<std::uint64_t(std::size_t)>& cost,
    const std::function<Inspected(std::size_t)>& inspect);

/// Moves what was inspected into the subject: architecture, members, layout, files and ELF faults.
void settle(Subject& subject, std::vector<Inspected> inspected);

/// Fills in ElfFile::payload of a settled subject; `digest` reads a member once more and tells it.
void tell_copies_apart(Subject& subject,
                       const std::function<std::string(std::size_t member)>& digest);

/// Archive, RECORD, metadata and members of a wheel; not yet examined.
[[nodiscard]] Subject read_wheel(Bytes archive, const std::string& file_name,
                                 const Options& options);

/// The graph of the subject alone: this machine's libraries say nothing about the user's.
[[nodiscard]] deps::Graph closed_graph(const Subject& subject, const Options& options);

/// Graph, verdict and links of a subject whose files are known.
void examine(Subject& subject, const Options& options);

/// The policy whose promises the subject makes: the oldest of its platform tags; of a folder, a
/// file, or a tag that promises nothing, the newest of the tables. nullptr without a verdict.
[[nodiscard]] const policy::Policy* promised_policy(const Subject& subject);

}  // namespace truewheel::check
