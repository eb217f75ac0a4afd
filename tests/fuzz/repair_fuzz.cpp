// SPDX-License-Identifier: Apache-2.0
//
// A whole repair, from the file to the published wheel. The first byte: bit 0 says that the rest is
// the archive itself; else a wheel is built of the pieces that the rest holds (built_wheel()), so
// that what lies behind framing, CRC and RECORD is reached. Other bits choose options. Any input is
// refused, and leaves nothing, or gives a wheel that keeps the output's contract and that a second
// repair leaves as it is; the input is not touched.
#include "base/byte_reader.hpp"
#include "fuzz/built_wheel.hpp"
#include "fuzz/expect.hpp"
#include "support/temporary_folder.hpp"
#include <truewheel/check.hpp>
#include <truewheel/error.hpp>
#include <truewheel/repair.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

namespace {

using namespace truewheel;
using test::expect;
namespace fs = std::filesystem;

constexpr std::array<const char*, 4> kNames = {
    "p-1-py3-none-linux_x86_64.whl", "p-1-cp312-cp312-manylinux_2_28_x86_64.whl",
    "p-1-cp310-abi3-musllinux_1_2_x86_64.whl", "p-1-py3-none-any.whl"};

std::string content_of(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void put(const fs::path& path, std::string_view content) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

/// In memory: the input, two outputs, and a library that the wheel may need.
struct Place {
  test::TemporaryFolder folder{"/dev/shm"};  // in memory
  fs::path in = folder.path() / "in";
  fs::path libraries = folder.path() / "libraries";
  fs::path once = folder.path() / "once";
  fs::path twice = folder.path() / "twice";

  Place() {
    fs::create_directory(in);
    fs::create_directory(libraries);
  }
};

repair::Options options_of(std::uint8_t choice, const Place& place) {
  repair::Options options;
  options.inspect.jobs = 1;
  options.inspect.accept_record_mismatch = (choice & 2U) != 0;
  options.inspect.search.ldpaths.emplace({place.libraries});  // nothing of this machine
  options.fix_only = options.inspect.own_files_only = (choice & 4U) != 0;
  options.allow_pure = (choice & 8U) != 0;
  return options;
}

/// The published wheel, or nothing for what is refused.
std::optional<fs::path> repaired(const fs::path& wheel, repair::Options options,
                                 const fs::path& out) {
  options.wheel_dir = out;
  try {
    auto finished = repair::repair(wheel, options);
    finished.prepare();
    finished.publish();
    return finished.target();
  } catch (const Error& error) {
    expect(error.kind() == ErrorKind::refused || error.kind() == ErrorKind::unfit,
           error.id() + ": " + error.where() + ": " + error.what());
    expect(!fs::exists(out), "a refusal leaves nothing");
    return std::nullopt;
  }
}

/// What holds of every output, by our own readers of a wheel.
void check_contract(const std::string& archive, const std::string& name) {
  const auto scan = wheel::scan(as_bytes(archive), {.max_ratio = 1e18});
  expect(scan.notes.empty() && scan.warnings.empty(), "the framing is plain");
  const auto is_metadata = [](const std::string& member) {
    return member.substr(0, member.find('/')).ends_with(".dist-info");
  };
  for (std::size_t i = 1; i < scan.members.size(); ++i) {
    const auto& before = scan.members[i - 1].name;
    const auto& after = scan.members[i].name;
    expect(is_metadata(before) <= is_metadata(after), ".dist-info lies last");
    const bool is_last = i + 1 == scan.members.size();
    expect(is_last || is_metadata(before) != is_metadata(after) || before < after,
           "members are sorted");
  }
  expect(!scan.members.empty() && scan.members.back().name.ends_with("/RECORD"), "RECORD is last");
  for (const auto& fault : check::open_wheel(as_bytes(archive), name, {}).archive_faults) {
    expect(fault.what.find("RECORD") == std::string::npos, "RECORD holds: " + fault.what);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Place place;
  if (size == 0) return 0;
  const auto choice = data[0];
  const Bytes rest(data + 1, size - 1);
  const auto input = (choice & 1U) != 0 ? test::BuiltWheel{std::string(as_text(rest)), {}}
                                        : test::built_wheel(rest, (choice & 16U) != 0);
  const auto wheel = place.in / kNames[choice >> 6U];
  put(wheel, input.archive);
  const auto library = place.libraries / "libg.so.1";
  if (!input.outside_library.empty()) put(library, input.outside_library);
  const auto options = options_of(choice, place);
  if (const auto first = repaired(wheel, options, place.once)) {
    const auto output = content_of(*first);
    const bool is_copy = output == input.archive;  // of a wheel without ELF files
    if (!is_copy) check_contract(output, first->filename().string());
    const auto second = repaired(*first, options, place.twice);
    expect(second.has_value(), "a repaired wheel is taken");
    expect(output == content_of(*second), "a second repair changes nothing");
    expect(first->filename() == second->filename(), "a second repair keeps the name");
    fs::remove_all(place.once);
    fs::remove_all(place.twice);
  }
  expect(content_of(wheel) == input.archive, "the input stays as it is");
  fs::remove(wheel);
  fs::remove(library);
  return 0;
}
