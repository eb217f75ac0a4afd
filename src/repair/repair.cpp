// SPDX-License-Identifier: Apache-2.0
#include "base/mapped_file.hpp"
#include "base/output_file.hpp"
#include "base/text.hpp"
#include "repair/execute.hpp"
#include "repair/gate.hpp"
#include "repair/plan_notes.hpp"
#include "repair/strip.hpp"
#include "repair/verify.hpp"
#include "wheel/load_ahead.hpp"
#include <truewheel/error.hpp>
#include <truewheel/repair.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace truewheel::repair {

struct Finished::State {
  Report report;
  std::filesystem::path target;
  std::optional<OutputFile> output;     ///< unset when there is nothing to publish
  std::vector<OutputFile> debug_files;  ///< of a split strip
  Existing existing = Existing::replace;
};

Finished::Finished(std::unique_ptr<State> state) : state_(std::move(state)) {}
Finished::~Finished() {
  // The last one first: a folder that was made for two files is taken away by the one that made it.
  while (state_ && !state_->debug_files.empty()) state_->debug_files.pop_back();
}
Finished::Finished(Finished&&) noexcept = default;
Finished& Finished::operator=(Finished&&) noexcept = default;
const Report& Finished::report() const { return state_->report; }
std::filesystem::path Finished::target() const { return state_->target; }
void Finished::prepare() {
  if (!state_->output) return;
  const auto prepare_one = [this](OutputFile& output) {
    const auto status = std::filesystem::symlink_status(output.target());
    if (std::filesystem::is_directory(status)) {
      throw Error(ErrorKind::io, "output-is-folder", "a folder of that name is in the way");
    }
    if (state_->existing == Existing::refuse && std::filesystem::exists(status)) {
      throw Error(ErrorKind::io, "output-exists", "the file exists already",
                  "leave --no-clobber out to replace it");
    }
    output.sync();
  };
  for (auto& file : state_->debug_files) {
    with_context(printable(file.target().string()), [&] { prepare_one(file); });
  }
  prepare_one(*state_->output);
}
bool Finished::is_published_already() const { return !state_->output; }
void Finished::publish() {
  if (!state_->output) return;
  // The wheel last: who waits for it finds its debug files there.
  for (auto& file : state_->debug_files) file.publish(state_->existing);
  state_->output->publish(state_->existing);
}

namespace {

/// A file without any name, for a result that is only compared.
class AnonymousFile {
 public:
  AnonymousFile() : descriptor_(memfd_create("truewheel", MFD_CLOEXEC)) {
    if (descriptor_ < 0) {
      throw Error(ErrorKind::io, "anonymous-file",
                  fmt::format("making an anonymous file: {}", std::strerror(errno)));
    }
  }
  ~AnonymousFile() { close(descriptor_); }
  AnonymousFile(const AnonymousFile&) = delete;
  AnonymousFile& operator=(const AnonymousFile&) = delete;
  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

Report report_of(Examined& examined, Plan& plan) {
  auto& wheel = examined.wheel;
  Report report;
  report.input = wheel.path;
  report.input_size = wheel.file.bytes().size();
  report.output_name = plan.name.format();
  report.policy = examined.verdict.policies[plan.tags.policy].policy->name;
  report.tag_reasons = plan.tags.reasons;
  report.grafts = plan.grafts;
  report.exclusions = plan.exclusions;
  report.patterns = examined.graph.patterns;
  for (const auto& member : wheel.members) report.elf_files += member.is_ours ? 1 : 0;
  report.findings = wheel.findings;
  report.findings.insert(report.findings.end(), plan.findings.begin(), plan.findings.end());
  report.folded = plan.folded;
  for (const auto& shim : plan.shims) {
    report.moved_programs.push_back({shim.old_member, shim.new_member});
  }
  for (const auto member : plan.made_executable) {
    report.made_executable.push_back(wheel.members[member].archive.name);
  }
  for (const auto& file : plan.files) {
    if (!file.edit.empty()) report.edits.push_back({file.path, file.reasons, {}, 0});
  }
  report.verdict = examined.verdict;
  return report;
}

/// Files that a split strip took out of the members lie below a folder of the wheel's name as the
/// members will lie in site-packages, so that a copy of the tree is where debuggers look.
void write_debug_files(const Plan& plan, const Execution& execution, const Options& options,
                       Finished::State& state) {
  auto stem = std::filesystem::path(state.report.output_name).stem();
  const auto folder =
      (options.debug_dir.empty() ? options.wheel_dir : options.debug_dir) / (stem += ".debug");
  for (const auto& member : execution.members) {
    if (!member.debug) continue;
    auto& file =
        state.debug_files.emplace_back(folder / (plan.files[*member.file].path + ".debug"));
    write_fully(file.descriptor(), member.debug->bytes().data(), member.debug->bytes().size());
  }
  state.report.debug_files = state.debug_files.size();
  if (!state.debug_files.empty()) state.report.debug_folder = folder;
}

LoadedWheel load_for_repair(const std::filesystem::path& path, const Options& options,
                            Hold hold = Hold::nothing) {
  auto wheel = load_wheel(path, options.inspect, hold);
  if (wheel.is_pure() && !options.allow_pure) {
    for (const auto& tag : wheel.name.platform_tags) {
      if (!tag.starts_with("macosx_") && !tag.starts_with("ios_") && !tag.starts_with("win"))
        continue;
      throw Error(ErrorKind::unfit, "pure-wheel",
                  fmt::format("the wheel is for {}, whose programs and libraries are no ELF files: "
                              "there is nothing to repair",
                              tag));
    }
    throw Error(ErrorKind::unfit, "pure-wheel",
                "the wheel holds no ELF file: there is nothing to repair",
                "--allow-pure-python-wheel copies it through");
  }
  if (options.verify == Verify::strict) {
    for (const auto& finding : wheel.findings) {
      if (finding.id == kCollisionFinding) {
        throw Error(ErrorKind::unfit, finding.id, finding.what, "--verify=standard warns only");
      }
    }
  }
  return wheel;
}

/// Contents that were kept for an edit that is not due.
void forget_unedited(LoadedWheel& wheel, const Plan& plan, const Options& options) {
  if (options.strip != Strip::no) return;
  for (const auto& file : plan.files) {
    if (file.member && file.edit.empty()) wheel.members[*file.member].held.reset();
  }
}

/// The folder, or the nearest one above it that is there: the wheel's own is made when it is
/// written.
std::filesystem::path nearest_folder(std::filesystem::path folder) {
  std::error_code ignored;
  while (!folder.empty() && !std::filesystem::is_directory(folder, ignored)) {
    folder = folder.parent_path();
  }
  return folder.empty() ? "." : folder;
}

Report pure_report(const LoadedWheel& wheel) {
  Report report;
  report.input = wheel.path;
  report.output_name = wheel.path.filename().string();
  report.input_size = report.output_size = wheel.file.bytes().size();
  report.pure = true;
  report.findings = wheel.findings;
  return report;
}

/// An output that is the input itself is never written (README): the same bytes are a
/// success.
Finished compare_with_input(std::unique_ptr<Finished::State> state, const MappedFile& result,
                            const MappedFile& input) {
  if (!same_bytes(result, result.bytes(), input, input.bytes())) {
    throw Error(ErrorKind::usage, "output-is-input",
                "the repaired wheel would replace its own input",
                "name another output folder with -w");
  }
  state->report.unchanged = true;
  return Finished(std::move(state));
}

Finished copy_pure(const LoadedWheel& wheel, std::unique_ptr<Finished::State> state) {
  const auto bytes = wheel.file.bytes();
  state->report = pure_report(wheel);
  state->report.unchanged = true;
  if (wheel.file.is_same_file(state->target)) {
    return compare_with_input(std::move(state), wheel.file, wheel.file);
  }
  state->output.emplace(state->target);
  write_fully(state->output->descriptor(), bytes.data(), bytes.size());
  return Finished(std::move(state));
}

}  // namespace

Report plan_only(const std::filesystem::path& path, const Options& options,
                 const Progress& progress) {
  const auto say = [&](const char* what) {
    if (progress) progress(what);
  };
  say("reading");
  auto wheel = load_for_repair(path, options);
  if (wheel.is_pure()) return pure_report(wheel);
  say("resolving");
  auto examined = examine(std::move(wheel), options.inspect);
  auto plan = make_plan(examined, options);
  return report_of(examined, plan);
}

Finished repair(const std::filesystem::path& path, const Options& options,
                const Progress& progress) {
  const auto say = [&](const char* what) {
    if (progress) progress(what);
  };
  auto state = std::make_unique<Finished::State>();
  state->existing = options.no_clobber ? Existing::refuse : Existing::replace;

  // Read everything once. From here on the archive's framing, every CRC and RECORD are known to
  // hold.
  say("reading");
  std::jthread loading;
  if (options.inspect.jobs != 1) {
    const SignalsHeld held;  // by the thread, so that one that comes while strip runs finds none
    loading = wheel::load_writer_ahead();
  }
  auto wheel = load_for_repair(path, options, Hold::elf_files);
  if (wheel.is_pure()) {
    state->target = options.wheel_dir / path.filename();
    return copy_pure(wheel, std::move(state));
  }

  // Find out what each file needs and what each policy says. Nothing is decided yet.
  say("resolving");
  auto examined = examine(std::move(wheel), options.inspect);

  // Decide all of it: tag, grafts, names, run paths. From here on nothing is refused but an edit
  // that is unsafe, and what a rule or the input's own name forbids of the finished wheel.
  auto plan = make_plan(examined, options);
  state->report = report_of(examined, plan);
  state->target = options.wheel_dir / state->report.output_name;

  forget_unedited(examined.wheel, plan, options);

  // Edit and compress what changes; each edited file has passed the editor's own invariants.
  say("editing");
  auto execution = execute(examined.wheel, plan, examined.graph, options,
                           nearest_folder(state->target.parent_path()));
  state->report.edits = execution.edits;
  for (const auto& edit : execution.edits) {
    if (edit.moves_headers) {
      state->report.findings.push_back(
          {"elf-headers-moved", Severity::warning, edit.member, elf::kHeadersMoved, {}});
    }
    if (edit.breaks_strip) {
      state->report.findings.push_back(
          {"elf-strip", Severity::warning, edit.member, elf::kStripBreaks, {}});
    }
    if (edit.buries_payload) {
      state->report.findings.push_back(
          {"elf-payload", Severity::warning, edit.member, elf::kPayloadBuried, {}});
    }
    if (!edit.strip_failure.empty()) {
      state->report.findings.push_back(
          {"not-stripped", Severity::warning, edit.member, edit.strip_failure, {}});
    }
  }

  std::vector<wheel::EncodedMember> members;
  members.reserve(execution.members.size());
  for (const auto& member : execution.members) members.push_back(member.encoded);
  const bool onto_itself = examined.wheel.file.is_same_file(state->target);
  std::optional<AnonymousFile> anonymous;
  if (onto_itself) {
    anonymous.emplace();
  } else {
    state->output.emplace(state->target);
  }
  const int descriptor = onto_itself ? anonymous->descriptor() : state->output->descriptor();

  // Write to a file that has no name yet, so that whatever happens now leaves nothing behind.
  say("writing");
  wheel::write_archive(descriptor, members, options.time,
                       [&](Bytes used) { examined.wheel.file.drop(used); });
  members.clear();

  // Read it back as a stranger would. Only what passes may get a name.
  say("verifying");
  const MappedFile written(descriptor);
  state->report.output_size = written.bytes().size();
  verify_output(written, examined.wheel, plan, execution, options);
  hold_against_rules(written, state->report.output_name, options, state->report.findings);
  if (!examined.wheel.file.unchanged()) {
    throw Error(ErrorKind::io, "input-changed", "the input changed while it was repaired");
  }
  if (onto_itself) {
    return compare_with_input(std::move(state), written, examined.wheel.file);
  }
  write_debug_files(plan, execution, options, *state);
  state->report.unchanged =
      same_bytes(written, written.bytes(), examined.wheel.file, examined.wheel.file.bytes());
  return Finished(std::move(state));
}

namespace {

/// What the groups leave out of what `graph` knows, by name.
std::map<std::string, std::string> driver_libraries(const deps::Graph& graph) {
  std::map<std::string, std::string> found;
  for (const auto& node : graph.nodes) {
    for (const auto& edge : node.edges) {
      if (!edge.pattern || edge.answer != deps::Answer::excluded) continue;
      const auto& pattern = graph.patterns[*edge.pattern];
      if (pattern.origin.starts_with("driver group")) found.emplace(edge.needed, pattern.origin);
    }
  }
  return found;
}

}  // namespace

Inspection inspect(const std::filesystem::path& path, const InspectOptions& options) {
  auto wheel = load_wheel(path, options);
  Inspection inspection;
  inspection.input = path;
  inspection.name = wheel.name;
  inspection.wheel_tags = wheel.metadata.tags();
  inspection.pure = wheel.is_pure();
  for (const auto& member : wheel.members) inspection.elf_files += member.is_ours ? 1 : 0;
  if (inspection.pure) {
    inspection.findings = wheel.findings;
    return inspection;
  }
  auto examined = examine(std::move(wheel), options);
  inspection.findings = examined.wheel.findings;
  inspection.graph = examined.graph;
  inspection.verdict = examined.verdict;
  if (leave_driver_libraries_out(examined, options)) {
    inspection.repair_verdict = examined.verdict;
    inspection.driver_libraries = driver_libraries(examined.graph);
  }
  inspection.lacks_libraries = missing_libraries(examined, options.search.sysroot).has_value();
  return inspection;
}

}  // namespace truewheel::repair
