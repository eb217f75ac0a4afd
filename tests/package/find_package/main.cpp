// SPDX-License-Identifier: Apache-2.0
// uses_truewheel [WHEEL FOLDER]: repairs a wheel into a folder, and says what was done.
#include <truewheel/error.hpp>
#include <truewheel/repair.hpp>
#include <truewheel/version.hpp>

#include <cstdio>

int main(int argc, char** argv) {
  const auto name = truewheel::wheel::parse_wheel_name("a-1-py3-none-manylinux_2_17_x86_64.whl");
  std::printf("truewheel %s reads %s\n", truewheel::kVersion, name.format().c_str());
  if (argc < 3) return 0;
  try {
    truewheel::repair::Options options;
    options.inspect.profiles = {"rocm", "rdma"};
    options.wheel_dir = argv[2];
    auto finished = truewheel::repair::repair(argv[1], options);
    for (const auto& file : finished.report().edits) {
      std::printf("edited %s\n", file.member.c_str());
    }
    finished.prepare();  // durable, and still without a name
    finished.publish();
    std::printf("wrote %s\n", finished.target().c_str());
  } catch (const truewheel::Error& error) {
    std::printf("%s: %s\n%s\n", error.id().c_str(), error.what(), error.hint().c_str());
    return truewheel::exit_code(error.kind());
  }
  return 0;
}
