# SPDX-License-Identifier: Apache-2.0
# bash completion for truewheel

_truewheel() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local command='' word
  case ${COMP_WORDS[0]##*/} in  # a link of that name
    patchelf | auditwheel) command=${COMP_WORDS[0]##*/} ;;
  esac
  [[ $command == patchelf ]] || for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in
      repair | show | check | explain | lddtree | patchelf) command=$word; break ;;
      auditwheel) command=$word ;;  # one of its own commands follows
    esac
  done

  local shared='--search --ldpaths --sysroot --exclude --profile --libstdcxx --disable-isa-ext-check
    --allow-pure-python-wheel --accept-record-mismatch --max-ratio --jobs -j --config --verbose -v --quiet -q --help -h'
  COMPREPLY=()
  case $previous in
    --wheel-dir | -w | --debug-dir | --search | --sysroot | --ldpaths | --root)
      compopt -o filenames
      mapfile -t COMPREPLY < <(compgen -d -- "$current")
      return ;;
    --plat)
      mapfile -t COMPREPLY < <(compgen -W 'auto linux manylinux_2_17 manylinux_2_28 manylinux_2_34 manylinux_2_35
        manylinux_2_39 musllinux_1_1 musllinux_1_2' -- "$current")
      return ;;
    --profile)
      # Several names stand behind commas.
      local before=''
      [[ $current != *,* ]] || before=${current%,*},
      compopt -o nospace
      mapfile -t COMPREPLY < <(compgen -P "$before" -W 'rocm-driver rocm rocm-legacy cuda-driver cuda cuda13 cuda12 torch rdma efa doca numa ascend musa xpu gcc-runtime libc system-net' -- "${current##*,}")
      return ;;
    --config | --compare)
      compopt -o filenames
      mapfile -t COMPREPLY < <(compgen -f -- "$current")
      return ;;
    --fail-on) mapfile -t COMPREPLY < <(compgen -W 'note warning error never' -- "$current"); return ;;
    --dead-patterns) mapfile -t COMPREPLY < <(compgen -W 'warning error' -- "$current"); return ;;
    --libstdcxx) mapfile -t COMPREPLY < <(compgen -W 'policy host' -- "$current"); return ;;
    --rpath-kind) mapfile -t COMPREPLY < <(compgen -W 'rpath runpath' -- "$current"); return ;;
    --verify) mapfile -t COMPREPLY < <(compgen -W 'standard strict off' -- "$current"); return ;;
    --patcher) mapfile -t COMPREPLY < <(compgen -W 'patchelf lief-patchelf none' -- "$current"); return ;;
    --set-os-abi)
      mapfile -t COMPREPLY < <(compgen -W 'sysv hp-ux netbsd linux hurd solaris aix irix freebsd tru64 openbsd openvms' -- "$current")
      return ;;
    --report)
      compopt -o nospace
      mapfile -t COMPREPLY < <(compgen -W 'json= sarif= junit= md= html= github' -- "$current")
      return ;;
    --select | --ignore | --allow | --provide | --installed | --target-glibc | --max-size | --max-graft-size | \
      --expect-name | --expect-count | --require-needed | --forbid-needed | --explain) return ;;
    --exclude | --include | --max-ratio | --jobs | -j | --lib-sdir | -L | --zip-compression-level | -z) return ;;
  esac
  case $command:$current in
    repair:-*)
      mapfile -t COMPREPLY < <(compgen -W "$shared --wheel-dir -w --plat --only-plat --no-update-tags --include --system-rpath
        --fix-only --lib-sdir -L --rpath-kind --strip --debug-dir --zip-compression-level -z --no-clobber --verify
        --dry-run --patcher" -- "$current") ;;
    patchelf:-*)
      mapfile -t COMPREPLY < <(compgen -W '--print-interpreter --print-os-abi --print-soname --print-rpath
        --print-execstack --print-needed --set-interpreter --set-os-abi
        --set-soname --set-rpath --add-rpath --allowed-rpath-prefixes
        --add-needed --remove-needed --replace-needed --clear-symbol-version
        --rename-dynamic-symbols --rename-symbol-version --page-size --output --remove-rpath --shrink-rpath --force-rpath
        --no-default-lib --set-execstack --clear-execstack --add-debug-tag
        --no-clobber-old-sections --no-sort --debug --help --version' -- "$current") ;;
    check:-*)
      mapfile -t COMPREPLY < <(compgen -W '--select --ignore --fail-on --allow --exclude --provide --profile
        --system-rpath --installed --root --target-glibc --max-size --max-graft-size --expect-name --expect-count
        --require-needed --forbid-needed --compare --pie-only --dead-patterns --libstdcxx --disable-isa-ext-check
        --json --report --list-rules --explain --max-ratio --jobs -j --config --verbose -v --quiet -q --help -h' -- "$current") ;;
    explain:-*)
      mapfile -t COMPREPLY < <(compgen -W '--exclude --provide --profile --installed --root --max-ratio --jobs -j
        --config --verbose -v --quiet -q --help -h' -- "$current") ;;
    lddtree:-*)
      mapfile -t COMPREPLY < <(compgen -W '--ldpaths --sysroot --verbose -v --quiet -q --help -h' -- "$current") ;;
    patchelf:* | lddtree:* | check:* | explain:*)
      compopt -o filenames
      mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    show:-*) mapfile -t COMPREPLY < <(compgen -W "$shared --json" -- "$current") ;;
    auditwheel:-*) mapfile -t COMPREPLY < <(compgen -W '--help -h --version -V --verbose -v --quiet -q' -- "$current") ;;
    auditwheel:*) mapfile -t COMPREPLY < <(compgen -W 'repair show lddtree' -- "$current") ;;
    :-*) mapfile -t COMPREPLY < <(compgen -W '--help -h --version -V --verbose -v --quiet -q' -- "$current") ;;
    :*) mapfile -t COMPREPLY < <(compgen -W 'repair show check explain lddtree auditwheel patchelf' -- "$current") ;;
    *)
      compopt -o filenames
      mapfile -t COMPREPLY < <(compgen -f -X '!*.whl' -- "$current"; compgen -d -- "$current") ;;
  esac
}
complete -F _truewheel truewheel
# Links to truewheel, but not the programs whose names they bear.
_truewheel_links() {
  local name path
  for name in auditwheel patchelf; do
    path=$(readlink -f -- "$(type -P "$name")") && [[ ${path##*/} == truewheel ]] && complete -F _truewheel "$name"
  done
}
_truewheel_links
unset -f _truewheel_links
