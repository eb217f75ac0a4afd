# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
example
pack tree in/other-1.0-py3-none-linux_x86_64.whl
wheels=(in/demo-1.0-py3-none-linux_x86_64.whl in/other-1.0-py3-none-linux_x86_64.whl)
for option in --exclude --include --profile --search; do
  value=libnothing.so
  [ "$option" != --profile ] || value=rocm
  rm -rf out
  run 0 "$truewheel" repair --search lib -w out "$option" "$value" "${wheels[@]}"
  [ "$(ls out | wc -l)" = 2 ] || { echo "$option took a wheel for a value" >&2; exit 1; }
done
for option in --exclude --provide --allow --select --ignore --report --expect-name; do
  value='lib*'
  case $option in
    --allow) value='R001:/opt/*' ;;
    --select | --ignore) value=R001 ;;
    --report) value=json=report.json ;;
    --expect-name) value='*.whl' ;;
  esac
  run 0 "$truewheel" check --json --fail-on never "$option" "$value" "${wheels[@]}"
  for wheel in "${wheels[@]}"; do
    grep -q "\"path\": \"$wheel\"" stdout || { echo "$option took a wheel for a value" >&2; exit 1; }
  done
done
