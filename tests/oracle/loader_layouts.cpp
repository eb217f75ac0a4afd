// SPDX-License-Identifier: Apache-2.0
#include "oracle/loader_layouts.hpp"

#include "base/byte_reader.hpp"
#include "base/mapped_file.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <stdexcept>

namespace truewheel::oracle {
namespace {

namespace fs = std::filesystem;
using deps::Libc;

constexpr std::int64_t kDtRpath = 15;
constexpr std::int64_t kDtDepAudit = 0x6ffffefb;

/// Draws one layout. Only operator() of the generator is used, so that a seed means the same
/// everywhere.
class Draw {
 public:
  Draw(std::mt19937& random, const LayoutWishes& wishes) : random_(random), wishes_(wishes) {
    folders_ = {"pkg", "pkg/lib", "pkg/sub/deep", "pkg.libs", "other"};
    if (wishes_.machine.lib) folders_.push_back("pkg/" + *wishes_.machine.lib);
    if (wishes_.machine.platform) folders_.push_back("pkg/lib/" + *wishes_.machine.platform);
    for (const auto& subfolder : wishes_.machine.subfolders) {
      if (one_in(4)) folders_.push_back("pkg/lib/" + subfolder);
    }
  }

  LayoutPlan layout() {
    LayoutPlan plan;
    const bool is_program = wishes_.libc == Libc::glibc && one_in(3);
    LibraryPlan root;
    root.path = is_program ? "pkg/run" : "pkg/_root.so";
    root.kind = is_program ? LibraryPlan::Kind::program : LibraryPlan::Kind::library;
    plan.files.push_back(root);

    std::set<std::string> paths = {root.path};
    const unsigned count = 4 + below(7);
    for (unsigned i = 0; i < count; ++i) {
      LibraryPlan library;
      library.path = pick(folders_) + "/" + pick(names_);
      if (!paths.insert(library.path).second) continue;
      if (wishes_.libc == Libc::glibc && one_in(12)) {
        library.kind =
            one_in(2) ? LibraryPlan::Kind::other_machine : LibraryPlan::Kind::other_class;
      }
      plan.files.push_back(library);
    }
    for (const auto& file : plan.files) {
      // A program is no library: glibc makes a link map for it and gives up then, which its account
      // does not tell from success.
      if (file.kind != LibraryPlan::Kind::program) present_.push_back(file.path);
    }
    // One DT_RPATH at the head, and little below it, is what many repaired wheels have.
    inherits_ = one_in(3);
    for (auto& file : plan.files) {
      fill(file, &file == plan.files.data());
      fill_flags(file);
    }
    return plan;
  }

 private:
  unsigned below(std::size_t limit) { return static_cast<unsigned>(random_() % limit); }
  bool one_in(unsigned chances) { return below(chances) == 0; }
  const std::string& pick(const std::vector<std::string>& list) { return list[below(list.size())]; }

  void fill(LibraryPlan& file, bool is_root) {
    if (!one_in(3)) file.soname = soname(file.path);
    const unsigned needs = is_root ? 2 + below(3) : below(4);
    for (unsigned i = 0; i < needs; ++i) file.needed.push_back(needed(file.path));
    if (one_in(3)) fill_filtees(file, is_root);
    if (inherits_ && is_root) {
      file.rpath = join(everywhere(file), ":");
      return;
    }
    if (inherits_ && !one_in(3)) return;
    switch (below(is_root ? 8 : 12)) {
      case 0:
      case 1:
      case 2:
        file.rpath = run_path(file);
        break;
      case 3:
      case 4:
      case 5:
        file.runpath = run_path(file);
        break;
      case 6:
        file.runpath = run_path(file);
        // Both kinds are made by hand, which is not worth it for files that are only passed over.
        if (file.kind != LibraryPlan::Kind::other_class) file.rpath = run_path(file);
        break;
      default:
        break;
    }
  }

  /// Filters that name each other in a circle end glibc: it puts each in front of the other until
  /// its stack is full. So some names have filtees and others are some.
  void fill_filtees(LibraryPlan& file, bool is_root) {
    const std::string name(base_name(file.path));
    if (file.kind == LibraryPlan::Kind::program || !(is_root || name < "libd")) return;
    if (name < "lib" && !is_root) return;
    if (file.soname) file.soname = name;
    const unsigned count = 1 + below(2);
    for (unsigned i = 0; i < count; ++i) {
      const std::string filtee = needed(file.path);
      if (base_name(filtee) < "libd") continue;
      (one_in(2) ? file.filters : file.auxiliaries).push_back(filtee);
    }
  }

  void fill_flags(LibraryPlan& file) {
    file.no_default_folders = one_in(8);
    // DF_1_NODEFLIB would hide the environment, whose contents are not this comparison's matter.
    if (file.no_default_folders) {
      for (auto* names : {&file.needed, &file.filters, &file.auxiliaries}) {
        std::erase_if(*names, [this](const std::string& name) {
          return std::count(wishes_.provided.begin(), wishes_.provided.end(), name) != 0;
        });
      }
    }
  }

  std::string soname(const std::string& path) {
    switch (below(5)) {
      case 0:
        return pick(names_);
      case 1:
        return std::string(base_name(path)) + ".1";
      default:
        return std::string(base_name(path));
    }
  }

  std::string needed(const std::string& from) {
    const unsigned kind = below(16);
    if (kind == 0 && !wishes_.provided.empty()) return pick(wishes_.provided);
    if (kind == 1) return pick(names_) + ".1";
    if (kind == 2) {
      const std::string& target = pick(present_);
      return way(from, folder_of(target)) + "/" + std::string(base_name(target));
    }
    if (kind == 3 && one_in(3)) return "gone/" + pick(names_);
    if (kind == 4) return pick(names_);
    return std::string(base_name(pick(present_)));
  }

  static std::string folder_of(const std::string& path) { return std::string(folder_name(path)); }

  /// From a file to a folder by $ORIGIN, in one of its spellings.
  std::string way(const std::string& from, const std::string& folder) {
    std::string text = one_in(4) ? "${ORIGIN}" : "$ORIGIN";
    const std::string relative = relative_path(folder_of(from), folder);
    if (!relative.empty()) text += "/" + relative;
    return text;
  }

  std::string run_path(const LibraryPlan& from) {
    std::vector<std::string> entries;
    if (one_in(5)) entries = everywhere(from);
    const unsigned count = 1 + below(3);
    for (unsigned i = 0; i < count; ++i) {
      entries.push_back(entry(from.path));
      // Most libraries shall be found, so that loads go deep.
      if (!from.needed.empty() && !one_in(4)) entries.push_back(useful_entry(from));
    }
    return join(entries, ":");
  }

  std::vector<std::string> everywhere(const LibraryPlan& from) {
    std::vector<std::string> entries;
    for (const auto& folder : folders_) entries.push_back(way(from.path, folder));
    return entries;
  }

  std::string useful_entry(const LibraryPlan& from) {
    const std::string wanted(base_name(pick(from.needed)));
    std::vector<std::string> owners;
    for (const auto& path : present_) {
      if (base_name(path) == wanted) owners.push_back(path);
    }
    return way(from.path, folder_of(pick(owners.empty() ? present_ : owners)));
  }

  std::string entry(const std::string& from) {
    static const std::vector<std::string> odd = {"/nonexistent",
                                                 "",
                                                 "lib",
                                                 "$ORIGINx",
                                                 "$ORIGIN/gone/../lib",
                                                 "$ORIGIN/../gone/../pkg/lib",
                                                 "$UNKNOWN/lib",
                                                 "${ORIGIN/lib",
                                                 "$ORIGIN/$LIB",
                                                 "$ORIGIN/../lib/${PLATFORM}",
                                                 "/$ORIGIN/lib",
                                                 "$ORIGIN//./lib//",
                                                 "${ORIGIN}lib",
                                                 "$ORIGIN/../pkg/$LIB/.",
                                                 "$ORIGIN/_root.so/../lib",
                                                 "$ORIGIN/$PLATFORM",
                                                 "./$ORIGIN",
                                                 "$$ORIGIN"};
    if (one_in(3)) return pick(odd);
    std::string text = way(from, folder_of(pick(present_)));
    if (one_in(6)) text += "/";
    return text;
  }

  std::mt19937& random_;
  const LayoutWishes& wishes_;
  std::vector<std::string> folders_;
  std::vector<std::string> names_ = {"liba.so", "libb.so", "libc1.so", "libd.so",
                                     "libe.so", "libf.so", "_root.so"};
  std::vector<std::string> present_;
  bool inherits_ = false;
};

void overwrite(const fs::path& path, std::uint64_t offset, const Buffer& bytes) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(offset));
  for (const auto byte : bytes) file.put(static_cast<char>(byte));
  if (!file) throw std::runtime_error("cannot change " + path.native());
}

/// ld writes one kind of run path only; the second one is written as DT_DEPAUDIT and gets its tag
/// here.
void turn_dep_audit_into_rpath(const fs::path& path) {
  Buffer tag;
  append_integer(tag, kDtDepAudit);
  std::optional<std::uint64_t> found;
  {
    const MappedFile file(path);
    const ByteReader reader(file.bytes());
    for (std::uint64_t at = 0; at + 8 <= reader.size() && !found; at += 8) {
      if (std::ranges::equal(reader.slice(at, 8), tag)) found = at;
    }
  }
  if (!found) throw std::runtime_error("no DT_DEPAUDIT in " + path.native());
  Buffer rpath;
  append_integer(rpath, kDtRpath);
  overwrite(path, *found, rpath);
}

}  // namespace

void run_shell(const std::string& command) {
  if (std::system(command.c_str()) != 0) throw std::runtime_error("failed: " + command);
}

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char letter : text) result += letter == '\'' ? "'\\''" : std::string(1, letter);
  return result + "'";
}

std::string LayoutPlan::describe() const {
  std::string text;
  for (const auto& file : files) {
    text += "\n  " + file.path;
    if (file.kind == LibraryPlan::Kind::other_machine) text += " (other machine)";
    if (file.kind == LibraryPlan::Kind::other_class) text += " (other class)";
    if (file.soname) text += " SONAME " + *file.soname;
    if (file.rpath) text += " RPATH [" + *file.rpath + "]";
    if (file.runpath) text += " RUNPATH [" + *file.runpath + "]";
    if (!file.needed.empty()) text += " NEEDED " + join(file.needed, " ");
    if (!file.filters.empty()) text += " FILTER " + join(file.filters, " ");
    if (!file.auxiliaries.empty()) text += " AUXILIARY " + join(file.auxiliaries, " ");
  }
  return text;
}

LayoutPlan random_layout(std::mt19937& random, const LayoutWishes& wishes) {
  return Draw(random, wishes).layout();
}

LayoutLinker::LayoutLinker(fs::path workshop) : workshop_(std::move(workshop)) {
  fs::create_directories(workshop_);
  const std::string in = "cd " + quoted(workshop_.native()) + " && ";
  run_shell(in +
            "echo '.globl _start\n_start: mov $60, %eax\nxor %edi, %edi\nsyscall' | "
            "as --64 -o 64.o - && echo '' | as --32 -o 32.o -");
}

std::string LayoutLinker::stand_in(const std::string& needed) {
  auto known = std::find(stand_ins_.begin(), stand_ins_.end(), needed);
  const auto number = std::to_string(known - stand_ins_.begin());
  const std::string path = workshop_ / ("stand-in-" + number);
  if (known == stand_ins_.end()) {
    stand_ins_.push_back(needed);
    run_shell("ld -shared -soname " + quoted(needed) + " -o " + quoted(path) + " " +
              quoted(workshop_ / "64.o"));
    run_shell("ld -m elf_i386 -shared -soname " + quoted(needed) + " -o " + quoted(path + "-32") +
              " " + quoted(workshop_ / "32.o"));
  }
  return path;
}

std::string LayoutLinker::command(const LibraryPlan& plan, const fs::path& target) {
  const bool is_32 = plan.kind == LibraryPlan::Kind::other_class;
  std::string line = "ld -z noseparate-code ";
  line += plan.kind == LibraryPlan::Kind::program
              ? "-pie -dynamic-linker /lib64/ld-linux-x86-64.so.2"
              : "-shared";
  if (is_32) line += " -m elf_i386";
  if (plan.soname) line += " -soname " + quoted(*plan.soname);
  if (plan.no_default_folders) line += " -z nodefaultlib";
  if (plan.runpath) {
    line += " --enable-new-dtags -rpath " + quoted(*plan.runpath);
    if (plan.rpath) line += " --depaudit=" + quoted(*plan.rpath);
  } else if (plan.rpath) {
    line += " --disable-new-dtags -rpath " + quoted(*plan.rpath);
  }
  for (const auto& name : plan.filters) line += " -F " + quoted(name);
  for (const auto& name : plan.auxiliaries) line += " -f " + quoted(name);
  line += " -o " + quoted(target) + " " + quoted(workshop_ / (is_32 ? "32.o" : "64.o")) +
          " --no-as-needed";
  for (const auto& needed : plan.needed) {
    line += " " + quoted(stand_in(needed) + (is_32 ? "-32" : ""));
  }
  return line;
}

void LayoutLinker::link(const LayoutPlan& plan, const fs::path& root) {
  std::string script = "set -e\n";
  for (const auto& file : plan.files) {
    fs::create_directories((root / file.path).parent_path());
    script += command(file, root / file.path) + "\n";
  }
  run_shell(script);
  for (const auto& file : plan.files) {
    if (file.rpath && file.runpath) turn_dep_audit_into_rpath(root / file.path);
    if (file.kind == LibraryPlan::Kind::other_machine) {
      overwrite(root / file.path, 18, {183, 0});  // e_machine: EM_AARCH64
    }
  }
}

std::vector<deps::WheelFile> read_layout(const LayoutPlan& plan, const fs::path& root) {
  std::vector<deps::WheelFile> layout;
  for (const auto& file : plan.files) {
    const MappedFile mapped(root / file.path);
    layout.push_back(
        {file.path, std::make_shared<const elf::ElfFacts>(elf::inspect(mapped.bytes()))});
  }
  return layout;
}

}  // namespace truewheel::oracle
