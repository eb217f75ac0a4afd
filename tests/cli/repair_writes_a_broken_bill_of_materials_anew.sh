# SPDX-License-Identifier: Apache-2.0
# A bill under our name that says nothing readable, or that is nested without end, is replaced with a warning.
. "$(dirname "$0")/common.inc"
example
mkdir -p tree/demo-1.0.dist-info/sboms
bom=tree/demo-1.0.dist-info/sboms/truewheel.cdx.json
python3 -c 'print("[" * 500000)' >nested
python3 -c 'print("{\"bomFormat\": \"CycloneDX\", \"x\": " + "[" * 500000 + "]" * 500000 + "}")' >deep
printf '{"bomFormat": "Other", "components": 3}' >other
printf '{"bomFormat": "CycloneDX", "components": 3, "dependencies": [7], "metadata": [], "version": "x"}' >odd
for broken in nested deep other odd; do
  cp $broken $bom
  pack tree $wheel
  run 0 "$truewheel" repair --search lib -w out --max-ratio 1000 "$wheel"
  [ $broken = odd ] || says stderr "is no CycloneDX document and is written anew"
  unzip -p out/*.whl "${bom#tree/}" | python3 -c 'import json, sys; assert len(json.load(sys.stdin)["components"]) == 1'
done
mkdir tree/demo-1.0.dist-info/SBOMS
mv $bom tree/demo-1.0.dist-info/SBOMS/truewheel.cdx.json
pack tree $wheel
run 1 "$truewheel" repair --search lib -w out "$wheel"
says stderr "stands where demo-1.0.dist-info/sboms/truewheel.cdx.json has to be"
