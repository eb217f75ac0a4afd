#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every C and C++ file is as .clang-format has it, every source states its licence on the first lines, and no script of
# tests/cli has a check that fails by chance (`| grep -q` breaks the writer's pipe) or cannot fail (a bare `! command`).
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -t sources < <(git ls-files --cached --others --exclude-standard '*.cpp' '*.hpp' '*.c' '*.h' | grep -v '\.inc$')
[ ${#sources[@]} -gt 0 ]
clang-format --dry-run -Werror "${sources[@]}"
mapfile -t scripts < <(git ls-files --cached --others --exclude-standard '*.py' '*.sh' 'scripts/*' 'packaging/*')
status=0
for file in "${sources[@]}" "${scripts[@]}"; do
  grep -q 'SPDX-License-Identifier: Apache-2.0' <(head -n 3 "$file") || { echo "$file: no SPDX line" >&2; status=1; }
done
if git grep --untracked -nE '\|[[:space:]]*grep [^|]*-[[:alnum:]]*q|^[[:space:]]*! ' -- 'tests/cli/*.sh' | grep -v '||'; then
  echo "use has and has_not of tests/cli/common.inc" >&2
  status=1
fi
echo "${#sources[@]} formatted files checked"
exit $status
