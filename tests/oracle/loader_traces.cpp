// SPDX-License-Identifier: Apache-2.0
#include "oracle/loader_traces.hpp"

#include "base/text.hpp"
#include "oracle/loader_layouts.hpp"
#include "support/temporary_folder.hpp"

#include <array>
#include <cstdio>
#include <memory>
#include <stdexcept>

namespace truewheel::oracle {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMusl = "/lib/ld-musl-x86_64.so.1";

std::vector<std::string> output_lines(const std::string& command) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen(command.c_str(), "r"),
                                                             ::pclose);
  if (!pipe) throw std::runtime_error("cannot run " + command);
  std::string text;
  std::array<char, 4096> piece{};
  while (const std::size_t count = std::fread(piece.data(), 1, piece.size(), pipe.get())) {
    text.append(piece.data(), count);
  }
  return split(text, '\n');
}

/// The text between two marks of a line; nullopt when they are not there in that order.
std::optional<std::string> between(const std::string& line, std::string_view before,
                                   std::string_view behind) {
  const auto start = line.find(before);
  if (start == std::string::npos) return std::nullopt;
  const auto from = start + before.size();
  const auto end = line.find(behind, from);
  if (end == std::string::npos) return std::nullopt;
  return line.substr(from, end - from);
}

std::vector<Search> parse_debug(const std::vector<std::string>& lines, const fs::path& root) {
  std::vector<Search> searches;
  bool is_ours = false;  // the last search is one of the layout's files
  for (const auto& line : lines) {
    const auto name = between(line, "file=", " [0];");
    if (name && line.find(";  needed by ") != std::string::npos) {
      const auto by = in_layout(root, between(line, "needed by ", " [").value_or(""));
      is_ours = by.has_value();
      if (!is_ours) continue;
      const bool is_path = name->find('/') != std::string::npos;
      searches.push_back({*by, *name, is_path ? *name : "", false});
    } else if (name && line.find("dynamically loaded by") != std::string::npos) {
      is_ours = false;
    } else if (name && line.find("generating link map") != std::string::npos) {
      if (is_ours && searches.back().needed == *name) searches.back().is_new = true;
    } else if (const auto at = line.find("trying file="); at != std::string::npos && is_ours) {
      searches.back().last_tried = line.substr(at + 12);
    }
  }
  return searches;
}

void build_opener(const fs::path& target, const std::string& compiler) {
  test::write_text(target.native() + ".c",
                   "#define _GNU_SOURCE\n"
                   "#include <dlfcn.h>\n#include <link.h>\n#include <stdio.h>\n"
                   "static int print(struct dl_phdr_info* info, size_t size, void* data) {\n"
                   "  puts(info->dlpi_name); (void)size; (void)data; return 0; }\n"
                   "int main(int argc, char** argv) {\n"
                   "  if (argc != 2 || !dlopen(argv[1], RTLD_LAZY)) return 1;\n"
                   "  dl_iterate_phdr(print, 0); return 0; }\n");
  run_shell(compiler + " -o " + quoted(target) + " " + quoted(target.native() + ".c"));
}

std::string in_empty_folder(const fs::path& workshop) {
  fs::create_directories(workshop / "empty");
  return "cd " + quoted(workshop / "empty") + " && ";
}

}  // namespace

std::optional<std::string> in_layout(const fs::path& root, const std::string& path) {
  const std::string normal = fs::path(path).lexically_normal().native();
  const std::string start = root.native() + "/";
  if (!normal.starts_with(start)) return std::nullopt;
  return normal.substr(start.size());
}

GlibcLoader::GlibcLoader(fs::path workshop) : workshop_(std::move(workshop)) {
  fs::create_directories(workshop_);
  build_opener(workshop_ / "open-glibc", "gcc");
}

deps::LoaderMachine GlibcLoader::machine() const {
  LayoutPlan plan;
  LibraryPlan probe;
  probe.path = "probe.so";
  probe.needed = {"libnowhere.so"};
  probe.runpath = "$ORIGIN/L/$LIB/E:$ORIGIN/P/$PLATFORM/E:$ORIGIN/S";
  plan.files = {probe};
  const fs::path root = workshop_ / "probe";
  LayoutLinker(workshop_ / "probe-parts").link(plan, root);

  deps::LoaderMachine machine;
  const std::string start = root.native() + "/";
  for (const auto& line : output_lines("LD_DEBUG=libs " + quoted(workshop_ / "open-glibc") + " " +
                                       quoted(root / "probe.so") + " 2>&1")) {
    const auto path = between(line, "search path=", "\t\t(RUNPATH from file");
    if (!path) continue;
    for (const auto& folder : split(*path, ':')) {
      if (const auto lib = between(folder, start + "L/", "/E")) machine.lib = *lib;
      if (const auto platform = between(folder, start + "P/", "/E")) machine.platform = *platform;
      if (folder.starts_with(start + "S/")) {
        machine.subfolders.push_back(folder.substr(start.size() + 2));
      }
    }
  }
  return machine;
}

std::vector<Search> GlibcLoader::open(const fs::path& root, const std::string& file) const {
  return parse_debug(
      output_lines(in_empty_folder(workshop_) + "LD_DEBUG=libs,files " +
                   quoted(workshop_ / "open-glibc") + " " + quoted(root / file) + " 2>&1"),
      root);
}

std::vector<Search> GlibcLoader::list(const fs::path& root, const std::string& file) const {
  return parse_debug(
      output_lines(in_empty_folder(workshop_) +
                   "LD_DEBUG=libs,files LD_TRACE_LOADED_OBJECTS=1 /lib64/ld-linux-x86-64.so.2 " +
                   quoted(root / file) + " 2>&1"),
      root);
}

std::optional<MuslLoader> MuslLoader::find(const fs::path& workshop) {
  if (!fs::exists(kMusl) || std::system("command -v musl-gcc >/dev/null") != 0) return std::nullopt;
  MuslLoader loader;
  loader.workshop_ = workshop;
  fs::create_directories(workshop);
  build_opener(workshop / "open-musl", "musl-gcc");
  return loader;
}

MuslTrace MuslLoader::list(const fs::path& root, const std::string& file) const {
  MuslTrace trace;
  for (const auto& line : output_lines(in_empty_folder(workshop_) + kMusl + " --list " +
                                       quoted(root / file) + " 2>&1")) {
    if (const auto path = between(line, " => ", " (0x")) {
      if (const auto loaded = in_layout(root, *path)) trace.loaded.push_back(*loaded);
    } else if (const auto name = between(line, "Error loading shared library ", ": ")) {
      const auto by = in_layout(root, between(line, "(needed by ", ")").value_or(""));
      trace.missing.emplace_back(by.value_or("?"), *name);
    }
  }
  return trace;
}

MuslTrace MuslLoader::open(const fs::path& root, const std::string& file) const {
  MuslTrace trace;
  for (const auto& line :
       output_lines(in_empty_folder(workshop_) + quoted(workshop_ / "open-musl") + " " +
                    quoted(root / file))) {
    const auto loaded = in_layout(root, line);
    if (loaded && *loaded != file) trace.loaded.push_back(*loaded);
  }
  return trace;
}

}  // namespace truewheel::oracle
