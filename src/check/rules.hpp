// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/check.hpp>

#include <functional>
#include <string>
#include <vector>

namespace truewheel::check {

/// Takes the findings of one rule; knows its id, so that a rule only says what it sees.
class Sink {
 public:
  Sink(std::string rule, const Options& options, std::vector<Finding>& findings)
      : rule_(std::move(rule)), options_(options), findings_(findings) {}

  /// `hint` is the command that repairs it. Drops what an allow list names by value or by member.
  void add(Severity severity, const std::string& member, const std::string& value,
           std::string message, std::string hint = {});

 private:
  std::string rule_;
  const Options& options_;
  std::vector<Finding>& findings_;
};

using RuleFunction = void (*)(const Subject&, const Options&, Sink&);

// Run paths.
void check_absolute_entries(const Subject&, const Options&, Sink&);           // R001
void check_entries_that_lead_nowhere(const Subject&, const Options&, Sink&);  // R002
void check_entries_without_anchor(const Subject&, const Options&, Sink&);     // R003
void check_build_machine_entries(const Subject&, const Options&, Sink&);      // R004
void check_run_path_kinds(const Subject&, const Options&, Sink&);             // R007
// What the loader finds.
void check_missing_libraries(const Subject&, const Options&, Sink&);        // R005
void check_libraries_found_by_luck(const Subject&, const Options&, Sink&);  // R006
void check_version_needs(const Subject&, const Options&, Sink&);            // R010
void check_needed_paths(const Subject&, const Options&, Sink&);             // R011
void check_libpython(const Subject&, const Options&, Sink&);                // R012
void check_defined_versions(const Subject&, const Options&, Sink&);         // R013
// Copies.
void check_double_libraries(const Subject&, const Options&, Sink&);       // R008
void check_copied_symlink_chains(const Subject&, const Options&, Sink&);  // R009
// ELF files by themselves.
void check_program_headers(const Subject&, const Options&, Sink&);        // E001
void check_position_independence(const Subject&, const Options&, Sink&);  // E002
void check_device_sections(const Subject&, const Options&, Sink&);        // E003
void check_dynamic_tables(const Subject&, const Options&, Sink&);         // E004
void check_executable_memory(const Subject&, const Options&, Sink&);      // E005
void check_static_tls(const Subject&, const Options&, Sink&);             // E006
void check_interpreters(const Subject&, const Options&, Sink&);           // E007
// What is bundled, and what is left out.
void check_bundled_system_libraries(const Subject&, const Options&, Sink&);  // G001
void check_dead_patterns(const Subject&, const Options&, Sink&);             // G002
void check_budgets(const Subject&, const Options&, Sink&);                   // G003
void check_undeclared_providers(const Subject&, const Options&, Sink&);      // G004
void check_host_bound_libraries(const Subject&, const Options&, Sink&);      // G005
void check_unsupported_libraries(const Subject&, const Options&, Sink&);     // G006
// Tags.
void check_tag_is_earned(const Subject&, const Options&, Sink&);  // T001
void check_tags_agree(const Subject&, const Options&, Sink&);     // T002
void check_target_glibc(const Subject&, const Options&, Sink&);   // T003
void check_purelib(const Subject&, const Options&, Sink&);        // T004
void check_foreign_files(const Subject&, const Options&, Sink&);  // T005
// Archive and assertions.
void check_archive(const Subject&, const Options&, Sink&);     // Z001
void check_assertions(const Subject&, const Options&, Sink&);  // N001

/// True for a library that repair or its like brought along: a name with a hash, or a `.libs`
/// folder.
[[nodiscard]] bool is_bundled(const std::string& path);
/// "libfoo-0a1b2c3d.so.1" as "libfoo.so.1"; other names as they are.
[[nodiscard]] std::string name_without_hash(const std::string& name);

/// True for rule ids that --select and --ignore leave on.
[[nodiscard]] bool is_selected(const std::string& rule, const Options& options);

}  // namespace truewheel::check
