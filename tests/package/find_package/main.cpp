// SPDX-License-Identifier: Apache-2.0
// Calls into several layers, so that the exported library must bring all it links with.
#include <truewheel/error.hpp>
#include <truewheel/repair.hpp>
#include <truewheel/version.hpp>

#include <cstdio>

int main(int argc, char** argv) {
  const auto name = truewheel::wheel::parse_wheel_name("a-1-py3-none-manylinux_2_17_x86_64.whl");
  std::printf("truewheel %s reads %s\n", truewheel::kVersion, name.format().c_str());
  if (argc < 2) return 0;
  try {
    const auto report = truewheel::repair::plan_only(argv[1], {}, {});
    std::printf("planned %s\n", report.output_name.c_str());
  } catch (const truewheel::Error& error) {
    std::printf("error %s\n", error.what());
  }
  return 0;
}
