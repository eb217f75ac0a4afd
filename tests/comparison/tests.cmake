# truewheel and auditwheel side by side. The test takes a few small wheels; scripts/compare_with_auditwheel without
# --quick takes all, and docs/auditwheel-differences.md has what came out.
find_program(TRUEWHEEL_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(TRUEWHEEL_PYTHON python3 REQUIRED)
add_test(NAME "comparison: small wheels come out as auditwheel's, work and are taken by installers"
  COMMAND "${TRUEWHEEL_PYTHON}" "${PROJECT_SOURCE_DIR}/scripts/compare_with_auditwheel" "$<TARGET_FILE:truewheel>" --quick)
set_tests_properties("comparison: small wheels come out as auditwheel's, work and are taken by installers" PROPERTIES
  LABELS "oracle;slow" SKIP_RETURN_CODE 77 TIMEOUT 900)
