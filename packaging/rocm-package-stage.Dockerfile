# syntax=docker/dockerfile:1.7
# SPDX-License-Identifier: Apache-2.0
#
# The package stage of Mooncake's ROCm wheel, with truewheel in the place of auditwheel, patchelf and
# LD_LIBRARY_PATH. Mooncake's own script builds the wheel; only its repair is cut out.
#
# Two named contexts come from outside: truewheel_source, a checkout of truewheel, and build_mooncake, an
# image in which Mooncake is compiled in MOONCAKE_DIR (cmake -DUSE_HIP=ON):
#
#   docker buildx build -f packaging/rocm-package-stage.Dockerfile --target export_mooncake -o wheels \
#     --build-context truewheel_source=. --build-context build_mooncake=docker-image://IMAGE .
#
# tests/package/stage_test.py runs the commands of the last three stages on a small wheel of the same shape.

ARG MOONCAKE_DIR=/app/Mooncake
ARG LIBRARY_DIR=/usr/local/lib
ARG WHEEL_DIR=/wheels
ARG PACKAGE=mooncake
ARG PLATFORM_TAG=manylinux_2_35_x86_64

FROM debian:12 AS repairtool
COPY --from=truewheel_source . /src
RUN /src/scripts/setup build \
 && cmake -S /src -B /build -G Ninja -DCMAKE_BUILD_TYPE=Release -DTRUEWHEEL_TESTS=OFF \
 && cmake --build /build --target truewheel \
 && cmake --install /build

# The wheel as Mooncake's script leaves it before it calls auditwheel.
FROM build_mooncake AS plain_mooncake
ARG MOONCAKE_DIR
WORKDIR ${MOONCAKE_DIR}
RUN sed -i -E \
      -e 's/ auditwheel patchelf//' \
      -e '/^(auditwheel|\$\{AUDITWHEEL_CMD\}) repair /,/--plat /d' \
      -e '/^rm -f \$\{OUTPUT_DIR\}\/\*\.whl/d' \
      -e '/^mv \$\{REPAIRED_DIR\}\/\*\.whl/d' \
      scripts/build_wheel.sh \
 && ! grep -E '^[^#]*(auditwheel|AUDITWHEEL_CMD\}) repair|^(rm|mv) .*\.whl' scripts/build_wheel.sh
RUN HIP_BUILD=1 OUTPUT_DIR=dist bash scripts/build_wheel.sh

# One process repairs, names and verifies; nothing is written unless all of it succeeds. The build's image
# is mounted below BUILD_ROOT, so --ldpaths names the folders its loader would search.
FROM repairtool AS package_mooncake
ARG MOONCAKE_DIR
ARG LIBRARY_DIR
ARG WHEEL_DIR
ARG PLATFORM_TAG
ARG BUILD_ROOT=/mnt/build
RUN --mount=type=bind,from=plain_mooncake,target=/mnt/build \
    truewheel repair "${BUILD_ROOT}${MOONCAKE_DIR}"/mooncake-wheel/dist/*.whl \
      --wheel-dir "${WHEEL_DIR}" --plat "${PLATFORM_TAG}" \
      --profile rocm,rdma,numa,system-net --system-rpath \
      --search "${BUILD_ROOT}${MOONCAKE_DIR}/build/mooncake-common" \
      --search "${BUILD_ROOT}${MOONCAKE_DIR}/build/mooncake-common/etcd" \
      --ldpaths "${BUILD_ROOT}${LIBRARY_DIR}:${BUILD_ROOT}/usr/lib/x86_64-linux-gnu"
RUN truewheel show "${WHEEL_DIR}"/*.whl

# `mooncake_master --version` imports no module, so it is not enough.
FROM build_mooncake AS check_mooncake
ARG WHEEL_DIR
ARG PACKAGE
ARG CHECK_DIR=/opt/check
COPY --from=package_mooncake ${WHEEL_DIR} ${WHEEL_DIR}
RUN python3 -m venv "${CHECK_DIR}" \
 && "${CHECK_DIR}/bin/pip" install --no-deps "${WHEEL_DIR}"/*.whl
RUN "${CHECK_DIR}/bin/python" -c "from ${PACKAGE}.engine import SUPPORT_HIP; assert SUPPORT_HIP; import ${PACKAGE}.store"
RUN "${CHECK_DIR}/bin/${PACKAGE}_master" --version

FROM scratch AS export_mooncake
ARG WHEEL_DIR
COPY --from=check_mooncake ${WHEEL_DIR}/*.whl /
