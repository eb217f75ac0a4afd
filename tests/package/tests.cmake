# The whole program on real wheels. Every test of fixture_test.py is a ctest test of its own.
find_program(TRUEWHEEL_PYTHON python3 REQUIRED)
set(package_tests "${CMAKE_CURRENT_SOURCE_DIR}/package")
set(fixture_work "${PROJECT_BINARY_DIR}/mooncake_like")

add_test(NAME "fixture: prepare"
  COMMAND "${TRUEWHEEL_PYTHON}" "${package_tests}/mooncake_like.py" prepare
          --work "${fixture_work}" --truewheel "$<TARGET_FILE:truewheel>")
set_tests_properties("fixture: prepare" PROPERTIES FIXTURES_SETUP mooncake_like LABELS package TIMEOUT 600)

# truewheel_python_tests(PREFIX FILE LABELS...): one test for each `def test_x_y` in FILE, which takes the
# work folder and the name of a test.
function(truewheel_python_tests prefix file)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  file(STRINGS "${file}" definitions REGEX "^    def test_")
  foreach(definition IN LISTS definitions)
    string(REGEX REPLACE "^ *def (test_[a-z0-9_]+).*" "\\1" method "${definition}")
    string(REGEX REPLACE "^test_" "" sentence "${method}")
    string(REPLACE "_" " " sentence "${sentence}")
    set(name "${prefix}: ${sentence}")
    add_test(NAME "${name}" COMMAND "${TRUEWHEEL_PYTHON}" "${file}" "${fixture_work}" "Tests.${method}")
    set_tests_properties("${name}" PROPERTIES FIXTURES_REQUIRED mooncake_like LABELS "${ARGN}" TIMEOUT 300)
  endforeach()
endfunction()

truewheel_python_tests("fixture" "${package_tests}/fixture_test.py" package)
truewheel_python_tests("strip" "${package_tests}/strip_test.py" package slow)

add_test(NAME "acceptance: published Mooncake wheels are repaired, installed and used"
  COMMAND "${TRUEWHEEL_PYTHON}" "${package_tests}/acceptance_test.py" "${PROJECT_BINARY_DIR}/acceptance"
          "$<TARGET_FILE:truewheel>")
set_tests_properties("acceptance: published Mooncake wheels are repaired, installed and used" PROPERTIES
  SKIP_RETURN_CODE 77 LABELS "package;slow" TIMEOUT 900)

add_test(NAME "package stage: the commands of the Dockerfile package an installable wheel"
  COMMAND "${TRUEWHEEL_PYTHON}" "${package_tests}/stage_test.py" "${PROJECT_BINARY_DIR}/package_stage"
          "$<TARGET_FILE:truewheel>")
set_tests_properties("package stage: the commands of the Dockerfile package an installable wheel" PROPERTIES
  LABELS package TIMEOUT 600)
