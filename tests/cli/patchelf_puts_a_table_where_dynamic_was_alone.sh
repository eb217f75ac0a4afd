# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
. "$here/patchelf.inc"
# A small library by lld: .dynamic is alone in the LOAD of PT_GNU_RELRO, has no spare entry and no padding behind it. When it
# moves, another table takes its place, for GNU strip breaks a file with a LOAD that no section is in.
command -v ld.lld >/dev/null || skip "no lld"
mkdir to
# Where that LOAD is decides whether its offset happens to be one that loaders take.
for code in 4 20 52; do
  echo "__asm__(\".text\\n.skip $code\"); static volatile int table[1000] = {3}; int f(void) { return table[0]; }" >f.c
  for hash in gnu sysv both; do
    gcc -shared -nostdlib -fPIC -fuse-ld=lld -Wl,-soname,libf.so.1,--hash-style=$hash -o libf.so.1 f.c
    for path in /opt/some/where/lib "/opt/$(printf 'x%.0s' {1..400})"; do
      cp libf.so.1 edited
      run 0 "$truewheel" patchelf --set-rpath "$path" edited
      says_not stderr strip
      for tool in true strip "strip -g" objcopy eu-strip llvm-strip llvm-objcopy; do
        command -v "${tool%% *}" >/dev/null || continue
        cp edited to/libf.so.1
        $tool to/libf.so.1
        LD_LIBRARY_PATH=to ./program || { echo "$hash: does not load after $tool" >&2; exit 1; }
        run 0 "$truewheel" patchelf --set-rpath /opt/b --add-debug-tag to/libf.so.1
        LD_LIBRARY_PATH=to ./program || { echo "$hash: does not load after $tool and an edit" >&2; exit 1; }
      done
    done
  done
done
