# Small wheels built here, repaired, installed and used. One test for each file of cases; run.py --list names the cases.
find_program(TRUEWHEEL_PYTHON python3 REQUIRED)
set(zoo_tests "${CMAKE_CURRENT_SOURCE_DIR}/zoo")
set(zoo_work "${PROJECT_BINARY_DIR}/zoo")

add_test(NAME "zoo: prepare" COMMAND "${TRUEWHEEL_PYTHON}" "${zoo_tests}/run.py" --prepare --work "${zoo_work}")
set_tests_properties("zoo: prepare" PROPERTIES FIXTURES_SETUP zoo SKIP_RETURN_CODE 77 LABELS zoo TIMEOUT 120)

add_test(NAME "zoo: every known bug class has a case"
  COMMAND "${TRUEWHEEL_PYTHON}" "${zoo_tests}/run.py" --classes --work "${zoo_work}")
set_tests_properties("zoo: every known bug class has a case" PROPERTIES FIXTURES_REQUIRED zoo SKIP_RETURN_CODE 77
  LABELS zoo TIMEOUT 60)

file(GLOB zoo_groups CONFIGURE_DEPENDS "${zoo_tests}/cases_*.py")
foreach(file IN LISTS zoo_groups)
  get_filename_component(group "${file}" NAME_WE)
  string(REPLACE "cases_" "" group "${group}")
  add_test(NAME "zoo: ${group}"
    COMMAND "${TRUEWHEEL_PYTHON}" "${zoo_tests}/run.py" --tool "$<TARGET_FILE:truewheel>" --work "${zoo_work}"
            --group ${group} -j 2)
  set_tests_properties("zoo: ${group}" PROPERTIES FIXTURES_REQUIRED zoo SKIP_RETURN_CODE 77 LABELS zoo
    TIMEOUT 600 PROCESSORS 2)
endforeach()

add_test(NAME "zoo: other programs take what is repaired"
  COMMAND "${TRUEWHEEL_PYTHON}" "${zoo_tests}/run.py" --tool "$<TARGET_FILE:truewheel>" --work "${zoo_work}"
          --readers --sample 13 -j 2)
set_tests_properties("zoo: other programs take what is repaired" PROPERTIES FIXTURES_REQUIRED zoo SKIP_RETURN_CODE 77
  LABELS zoo TIMEOUT 600 PROCESSORS 2)
