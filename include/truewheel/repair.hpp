// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/deps.hpp>
#include <truewheel/elf.hpp>
#include <truewheel/finding.hpp>
#include <truewheel/policy.hpp>
#include <truewheel/wheel.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace truewheel::repair {

/// What a caller wants to know of a wheel before anything is decided; `show` and `repair` ask the
/// same.
struct InspectOptions {
  deps::SearchOptions search;
  std::vector<std::string> excludes;  ///< globs of --exclude
  std::vector<std::string>
      includes;  ///< globs of --include: take these although a driver group names them
  std::vector<std::string> profiles;  ///< names of --profile
  bool driver_groups = true;          ///< docs/profiles.md; off in show
  /// Nothing is looked for outside of the wheel, and second copies of its libraries are folded.
  bool own_files_only = false;
  policy::EvaluateOptions evaluate;
  wheel::ScanLimits limits;
  bool accept_record_mismatch = false;
  unsigned jobs = 0;  ///< worker threads; 0: one a core
};

/// What the system's strip takes away before anything is edited. `split` keeps it in debug files.
enum class Strip { no, all, split };

enum class Verify { standard, strict, off };

struct Options {
  InspectOptions inspect;
  std::filesystem::path wheel_dir = "wheelhouse";
  std::string platform = "auto";
  policy::TagUpdate tag_update = policy::TagUpdate::all;
  std::string lib_sdir = ".libs";  ///< grafts go to {name}{lib_sdir} at the installation root
  /// Of a file that gains an entry. Unset: DT_RPATH, or under `fix_only` the kind that the wheel
  /// has.
  std::optional<elf::RunPathKind> run_path_kind;
  bool system_rpath = false;
  /// Tidies run paths, copies, modes and tags of a wheel as it is; bundles nothing. Goes with
  /// InspectOptions::own_files_only.
  bool fix_only = false;
  Strip strip = Strip::no;
  /// Strip::split: debug files go to {debug_dir}/{wheel's name}.debug/; empty: the wheel's folder.
  std::filesystem::path debug_dir;
  bool allow_pure = false;
  bool no_clobber = false;
  bool edit_allowed = true;  ///< false under `--patcher none`
  Verify verify = Verify::standard;
  int compression_level = 5;
  wheel::ArchiveTime time;
};

/// A library that goes into the wheel.
struct Graft {
  std::string source;  ///< real path on this machine
  std::string how;     ///< what found it: "--search build/lib"
  std::string sha256;  ///< hex, of the source's bytes
  std::uint64_t size = 0;
  std::string new_name;  ///< "libglog-43102265.so.0"
  std::string member;    ///< "mooncake.libs/libglog-43102265.so.0"
  std::vector<std::string> needed_by;
  std::vector<std::string> known_as;  ///< the NEEDED names that it answers, sorted
};

/// A library that was left out on purpose.
struct Exclusion {
  std::string needed;
  std::string pattern;
  std::string origin;
  std::vector<std::string> needed_by;
};

/// A second copy of a library, which its users no longer need.
struct FoldedCopy {
  std::string member;
  std::string kept;  ///< the member that takes its place
  bool is_gone =
      false;  ///< false: a name that a program may open by itself, so that the file stays
};

/// An ELF file that changes, and why.
struct EditedFile {
  std::string member;
  std::vector<std::string>
      reasons;  ///< "NEEDED libglog.so.0 -> libglog-43102265.so.0", "run path …"
  std::vector<std::string> steps;  ///< how the editor did it
  std::uint64_t growth = 0;
  bool moves_headers = false;  ///< strip would damage it (elf::PatchList)
  bool breaks_strip = false;   ///< the same
  bool buries_payload = false;
  std::string strip_failure =
      {};  ///< why the file was left unstripped under --strip; empty otherwise
};

/// A program of `.data/scripts` that needs the wheel's libraries: a script of its name runs it.
struct MovedProgram {
  std::string script;  ///< "x-1.data/scripts/tool"
  std::string member;  ///< "x.scripts/tool"
};

/// All that a repair did or would do; the report writers need nothing else.
struct Report {
  std::filesystem::path input;
  std::string output_name;
  std::uint64_t input_size = 0;
  std::uint64_t output_size = 0;
  bool pure = false;       ///< no ELF: copied byte for byte
  bool unchanged = false;  ///< the output would be the input's bytes
  std::string policy;      ///< the policy whose grafts are bundled
  std::vector<std::string> tag_reasons;
  policy::Verdict verdict;
  std::vector<Graft> grafts;
  std::vector<Exclusion> exclusions;
  std::vector<deps::ExcludePattern> patterns;
  std::vector<EditedFile> edits;
  std::vector<FoldedCopy> folded;
  std::vector<MovedProgram> moved_programs;
  std::vector<std::string> made_executable;  ///< programs that had no execute bit
  std::filesystem::path debug_folder;        ///< where the debug files of a split strip go
  std::size_t debug_files = 0;
  std::size_t elf_files = 0;
  std::vector<Finding> findings;
};

/// Called with what is being done, for a progress line; may be empty.
using Progress = std::function<void(const std::string& what)>;

/// A verified wheel that has no name yet. Destroying it leaves nothing behind.
class Finished {
 public:
  struct State;
  explicit Finished(std::unique_ptr<State> state);
  ~Finished();
  Finished(Finished&&) noexcept;
  Finished& operator=(Finished&&) noexcept;
  [[nodiscard]] const Report& report() const;
  [[nodiscard]] std::filesystem::path target() const;
  /// Makes the bytes durable and refuses now what publish() would refuse, so that of several wheels
  /// none gets its name when one cannot.
  void prepare();
  /// True for an output that is its own input: there is nothing to write.
  [[nodiscard]] bool is_published_already() const;
  /// Gives it its name. Does nothing for an output that is the input itself.
  void publish();

 private:
  std::unique_ptr<State> state_;
};

/// Plans a repair and says what it would do; writes nothing.
[[nodiscard]] Report plan_only(const std::filesystem::path& wheel, const Options& options,
                               const Progress& progress = {});

/// Repairs one wheel up to the point where it is written, verified and without a name.
[[nodiscard]] Finished repair(const std::filesystem::path& wheel, const Options& options,
                              const Progress& progress = {});

/// What `show` knows: the wheel alone, and with the libraries of this machine.
struct Inspection {
  std::filesystem::path input;
  wheel::WheelName name;
  bool pure = false;
  std::vector<std::string> wheel_tags;  ///< of the WHEEL file
  std::size_t elf_files = 0;
  std::optional<policy::Verdict> verdict;  ///< unset for a pure wheel
  deps::Graph graph;
  /// What repair decides from: it leaves the driver's libraries out, which the two above count as
  /// auditwheel does. Unset where that makes no difference.
  std::optional<policy::Verdict> repair_verdict;
  /// Those libraries, and the group of each: "libcuda.so.1", "driver group cuda-driver".
  std::map<std::string, std::string> driver_libraries;
  bool lacks_libraries = false;  ///< repair would refuse, since some were not found
  std::vector<Finding> findings;
};
[[nodiscard]] Inspection inspect(const std::filesystem::path& wheel, const InspectOptions& options);

}  // namespace truewheel::repair
