#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes small ELF files of each class and byte order for elf_reader_fuzz to start from.
# usage: elf_reader_seeds.sh FOLDER
set -euo pipefail
folder=$1
mkdir -p "$folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/source.c" <<'SOURCE'
extern int theirs(int);
extern int __attribute__((weak)) maybe(int);
int ours(int x) { return maybe ? maybe(x) : theirs(x); }
int PyInit_ours(void) { return ours(1); }
SOURCE
echo 'OUR_1 { global: ours; PyInit_ours; local: *; };' >"$work/map"
for target in x86_64 i686 aarch64 powerpc64 powerpc mips riscv64; do
  clang --target="$target-linux-gnu" -fuse-ld=lld -nostdlib -fPIC -shared -O1 \
    -Wl,-soname,libours.so.1 -Wl,--version-script="$work/map" -Wl,-rpath,'$ORIGIN' \
    -Wl,--hash-style=sysv -Wl,-z,max-page-size=4096 -o "$folder/$target.so" "$work/source.c" ||
    echo "no seed for $target" >&2
done
# A library with real version needs, and a program.
clang -shared -fPIC -s -o "$folder/needs.so" "$work/source.c" -Wl,--no-as-needed -lm
clang -fPIE -pie -s -o "$folder/program" -x c - <<<'int main(void) { return 0; }'
