#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every C and C++ file is as .clang-format has it, and every source states its licence on the first lines.
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -t sources < <(git ls-files --cached --others --exclude-standard '*.cpp' '*.hpp' '*.c' '*.h' | grep -v '\.inc$')
[ ${#sources[@]} -gt 0 ]
clang-format --dry-run -Werror "${sources[@]}"
mapfile -t scripts < <(git ls-files --cached --others --exclude-standard '*.py' '*.sh' 'scripts/*' 'packaging/*')
status=0
for file in "${sources[@]}" "${scripts[@]}"; do
  head -n 3 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0' || { echo "$file: no SPDX line" >&2; status=1; }
done
echo "${#sources[@]} formatted files checked"
exit $status
