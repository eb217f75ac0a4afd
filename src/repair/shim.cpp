// SPDX-License-Identifier: Apache-2.0
#include "repair/shim.hpp"

namespace truewheel::repair {
namespace {

/// A Python string literal.
std::string literal(const std::string& text) {
  std::string quoted = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') quoted += '\\';
    quoted += letter;
  }
  return quoted + "\"";
}

}  // namespace

std::string shim_script(const std::string& member, const std::string& dist_info) {
  return R"(#!python
"""Starts a program that lives in site-packages, beside the libraries it needs."""
import os
import site
import sys
import sysconfig

PROGRAM = )" +
         literal(member) + R"(
DIST_INFO = )" +
         literal(dist_info) + R"(


def candidates():
    here = os.path.dirname(os.path.realpath(__file__))
    prefix = os.path.dirname(here)
    version = "python%d.%d" % sys.version_info[:2]
    yield prefix
    for lib in ("lib", "lib64"):
        yield os.path.join(prefix, lib, version, "site-packages")
        yield os.path.join(prefix, lib, version, "dist-packages")
        yield os.path.join(prefix, lib, "python3", "dist-packages")
    yield sysconfig.get_path("platlib")
    yield sysconfig.get_path("purelib")
    yield site.getusersitepackages()
    yield from sys.path


def main():
    for folder in candidates():
        program = os.path.join(folder, PROGRAM) if folder else ""
        if program and os.path.isfile(program) and os.path.isdir(os.path.join(folder, DIST_INFO)):
            os.execv(program, [program] + sys.argv[1:])
    sys.exit("%s: the files of %s were not found" % (sys.argv[0], DIST_INFO))


if __name__ == "__main__":
    main()
)";
}

}  // namespace truewheel::repair
