# Hostile and odd archives, each with its verdict; run.py --list names them.
set(archive_tests "${CMAKE_CURRENT_SOURCE_DIR}/archives")
find_program(TRUEWHEEL_PYTHON python3 REQUIRED)
# Sanitizers take more memory than the limit allows.
set(archive_limit "")
if(TRUEWHEEL_SANITIZE)
  set(archive_limit --no-memory-limit)
endif()
add_test(NAME "archives: every hostile or odd wheel meets its verdict"
  COMMAND "${TRUEWHEEL_PYTHON}" "${archive_tests}/run.py" "$<TARGET_FILE:truewheel>" ${archive_limit})
set_tests_properties("archives: every hostile or odd wheel meets its verdict" PROPERTIES
  LABELS archives TIMEOUT 600 PROCESSORS 2)

# Long runs: sweep.py SWEEP random --count 50000 --seed N.
add_executable(wheel_sweep archives/sweep.cpp)
truewheel_settings(wheel_sweep)
target_link_libraries(wheel_sweep PRIVATE truewheel_core)
foreach(sweep IN ITEMS lengths bytes random)
  add_test(NAME "archives: ${sweep}"
    COMMAND "${TRUEWHEEL_PYTHON}" "${archive_tests}/sweep.py" $<TARGET_FILE:wheel_sweep> ${sweep} ${archive_limit})
  set_tests_properties("archives: ${sweep}" PROPERTIES LABELS archives TIMEOUT 600)
endforeach()
if(NOT TRUEWHEEL_SANITIZE)
  add_test(NAME "archives: bombs and false counts stay within memory and time"
    COMMAND "${TRUEWHEEL_PYTHON}" "${archive_tests}/bounds.py" "$<TARGET_FILE:truewheel>")
  set_tests_properties("archives: bombs and false counts stay within memory and time" PROPERTIES LABELS archives TIMEOUT 600)
endif()
