# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
mkdir bin
ln -s "$truewheel" bin/patchelf
printf '#!/bin/sh\n' >bin/auditwheel  # another program
chmod +x bin/auditwheel
PATH=$PWD/bin:$PATH
source "$here/../../docs/completions/truewheel.bash"
compopt() { :; }  # only bash itself may call it outside of a completion

# offers WORD... -- what: completing the last word offers it.
offers() {
  local wanted=${*: -1}
  COMP_WORDS=("${called:-truewheel}" "${@:1:$#-1}")
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  _truewheel
  printf '%s\n' "${COMPREPLY[@]}" | has -xF -- "$wanted" || { echo "'${COMP_WORDS[*]}' does not offer $wanted: ${COMPREPLY[*]}"; return 1; }
}
offers '' repair
offers auditwheel '' lddtree
offers auditwheel repair --pl --plat
offers auditwheel --ver --version
offers check --report js json=
offers check --fail-on w warning
offers patchelf --set-os-abi li linux
offers repair --plat man manylinux_2_28
offers repair --profile rd rdma
offers repair --profile rocm,rd rocm,rdma
offers check --profile rocm,rdma, rocm,rdma,numa
called=/opt/bin/patchelf offers --set-so --set-soname
called=auditwheel offers '' lddtree
called=auditwheel offers repair --pl --plat
# A link to truewheel is completed as it, the program of that name is not.
complete -p truewheel | has _truewheel
complete -p patchelf | has _truewheel
run 1 complete -p auditwheel
