# What surrounds a run: the same bytes everywhere, nothing started or written elsewhere, a hardened program.
find_program(TRUEWHEEL_PYTHON python3 REQUIRED)
set(surroundings "${CMAKE_CURRENT_SOURCE_DIR}/surroundings")
add_test(NAME "surroundings: the same bytes whatever they are"
  COMMAND "${TRUEWHEEL_PYTHON}" "${surroundings}/identical_test.py" "$<TARGET_FILE:truewheel>")
add_test(NAME "surroundings: nothing is started, reached or written elsewhere"
  COMMAND "${TRUEWHEEL_PYTHON}" "${surroundings}/side_effects_test.py" "$<TARGET_FILE:truewheel>")
set_tests_properties("surroundings: the same bytes whatever they are"
  "surroundings: nothing is started, reached or written elsewhere" PROPERTIES LABELS surroundings SKIP_RETURN_CODE 77 TIMEOUT 300)
if(TRUEWHEEL_SANITIZE)
  # Leaks cannot be looked for under strace.
  set_tests_properties("surroundings: nothing is started, reached or written elsewhere" PROPERTIES ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)
endif()
# Of a program as it is shipped only.
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT TRUEWHEEL_SANITIZE AND NOT TRUEWHEEL_COVERAGE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_test(NAME "surroundings: the program is hardened"
    COMMAND "${TRUEWHEEL_PYTHON}" "${surroundings}/hardening_test.py" "$<TARGET_FILE:truewheel>" "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}")
  set_tests_properties("surroundings: the program is hardened" PROPERTIES LABELS surroundings TIMEOUT 60)
endif()
