// SPDX-License-Identifier: Apache-2.0
#include "repair/shim.hpp"

namespace truewheel::repair {
namespace {

/// A word of a shell script.
std::string quoted(const std::string& text) {
  std::string word = "'";
  for (const char letter : text) {
    if (letter == '\'') {
      word += "'\\''";
    } else {
      word += letter;
    }
  }
  return word + "'";
}

}  // namespace

// No "#!python": what pip puts in its place is no line that a kernel starts where the path of
// Python holds a blank or is long (https://github.com/pypa/pip/issues/13389), and a shell is there
// at once.
std::string shim_script(const std::string& member, const std::string& dist_info) {
  return R"sh(#!/bin/sh
# Starts a program that lives in site-packages, beside the libraries it needs.
program=)sh" +
         quoted(member) + R"sh(
dist_info=)sh" +
         quoted(dist_info) + R"sh(

# By its own place: that of the script, and of what it is a link to.
for script in "$0" "$(readlink -f -- "$0" 2>/dev/null)"; do
  case $script in
    */*) bin=${script%/*} ;;
    *) bin=. ;;
  esac
  case $bin in
    /*/*) prefix=${bin%/*} ;;
    *) prefix=$bin/.. ;;
  esac
  for folder in "$prefix" "$prefix"/lib*/python*/site-packages \
    "$prefix"/lib*/python*/dist-packages "$prefix"/lib*/pypy*/site-packages "$prefix"/lib/python; do
    if [ -f "$folder/$program" ] && [ -d "$folder/$dist_info" ]; then
      exec "$folder/$program" "$@"
    fi
  done
done

# By Python's.
search='
import os, site, sys, sysconfig
name, program, dist_info = sys.argv[1:4]
paths = [sysconfig.get_path("platlib"), sysconfig.get_path("purelib"), site.getusersitepackages()]
for folder in paths + sys.path:
    path = os.path.join(folder, program)
    if folder and os.path.isfile(path) and os.path.isdir(os.path.join(folder, dist_info)):
        os.execv(path, [path] + sys.argv[4:])
sys.exit("%s: the files of %s were not found" % (name, dist_info))
'
for python in "$bin/python3" "$bin/python" python3 python; do
  if command -v "$python" >/dev/null 2>&1; then
    exec "$python" -c "$search" "$0" "$program" "$dist_info" "$@"
  fi
done
echo "$0: the files of $dist_info were not found" >&2
exit 1
)sh";
}

}  // namespace truewheel::repair
