# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
source "$here/../../docs/completions/truewheel.bash"
compopt() { :; }  # only bash itself may call it outside of a completion

# offers WORD... -- what: completing the last word offers it.
offers() {
  local wanted=${*: -1}
  COMP_WORDS=(truewheel "${@:1:$#-1}")
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  _truewheel
  printf '%s\n' "${COMPREPLY[@]}" | grep -qxF -- "$wanted" || { echo "'${COMP_WORDS[*]}' does not offer $wanted: ${COMPREPLY[*]}"; return 1; }
}
offers '' repair
offers auditwheel '' lddtree
offers auditwheel repair --pl --plat
offers auditwheel --ver --version
offers check --report js json=
offers check --fail-on w warning
offers patchelf --set-os-abi li linux
offers repair --plat man manylinux_2_28
