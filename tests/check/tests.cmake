# The gate on wheels that break one rule each, and on wheels just inside.
set(check_tests "${CMAKE_CURRENT_SOURCE_DIR}/check")
find_program(TRUEWHEEL_PYTHON python3 REQUIRED)

add_test(NAME "check: each rule refuses a wheel that breaks it and passes one just inside"
  COMMAND "${TRUEWHEEL_PYTHON}" "${check_tests}/rules_test.py" "$<TARGET_FILE:truewheel>")
set_tests_properties("check: each rule refuses a wheel that breaks it and passes one just inside" PROPERTIES
  LABELS check SKIP_RETURN_CODE 77 TIMEOUT 300)

add_test(NAME "check: published wheels have the faults that are known of them and no others"
  COMMAND "${TRUEWHEEL_PYTHON}" "${check_tests}/published_test.py" "$<TARGET_FILE:truewheel>")
set_tests_properties("check: published wheels have the faults that are known of them and no others" PROPERTIES
  LABELS "check;slow" SKIP_RETURN_CODE 77 TIMEOUT 900)

add_test(NAME "check: an installation is told as its own loader finds it"
  COMMAND "${TRUEWHEEL_PYTHON}" "${check_tests}/installed_test.py" "$<TARGET_FILE:truewheel>")
set_tests_properties("check: an installation is told as its own loader finds it" PROPERTIES
  LABELS check SKIP_RETURN_CODE 77 TIMEOUT 300)
