# The whole program on real wheels. Every test of fixture_test.py is a ctest test of its own.
# The distribution's Python: its headers and venv are what scripts/setup installs.
find_program(TRUEWHEEL_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
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

add_test(NAME "fix-only: published wheels lose every fault that needs no build"
  COMMAND "${TRUEWHEEL_PYTHON}" "${package_tests}/fix_only_test.py" "${PROJECT_BINARY_DIR}/fix_only"
          "$<TARGET_FILE:truewheel>")
set_tests_properties("fix-only: published wheels lose every fault that needs no build" PROPERTIES
  SKIP_RETURN_CODE 77 LABELS "package;slow" TIMEOUT 900)

add_test(NAME "package stage: the commands of the Dockerfile package an installable wheel"
  COMMAND "${TRUEWHEEL_PYTHON}" "${package_tests}/stage_test.py" "${PROJECT_BINARY_DIR}/package_stage"
          "$<TARGET_FILE:truewheel>")
set_tests_properties("package stage: the commands of the Dockerfile package an installable wheel" PROPERTIES
  LABELS package TIMEOUT 600)

add_test(NAME "package: an installation works from where it lies"
  COMMAND "${TRUEWHEEL_PYTHON}" "${package_tests}/install_test.py" "${PROJECT_BINARY_DIR}" "${PROJECT_BINARY_DIR}/install_test")
set_tests_properties("package: an installation works from where it lies" PROPERTIES LABELS package TIMEOUT 300)

foreach(format IN ITEMS sarif junit github md html)
  add_test(NAME "reports: ${format} is what its readers expect"
    COMMAND "${TRUEWHEEL_PYTHON}" "${package_tests}/reports_test.py" "$<TARGET_FILE:truewheel>" ${format})
  set_tests_properties("reports: ${format} is what its readers expect" PROPERTIES
    SKIP_RETURN_CODE 77 LABELS package TIMEOUT 300)
endforeach()

# The checks of the sources.
set(scripts "${PROJECT_SOURCE_DIR}/scripts")
add_test(NAME "check: layers" COMMAND "${TRUEWHEEL_PYTHON}" "${scripts}/check_layers.py")
add_test(NAME "check: format and licence lines" COMMAND "${scripts}/check_style.sh")
add_test(NAME "check: clang-tidy" COMMAND "${TRUEWHEEL_PYTHON}" "${scripts}/tidy.py" "${PROJECT_BINARY_DIR}")
add_test(NAME "check: options agree with manual page, completions and README"
  COMMAND "${TRUEWHEEL_PYTHON}" "${scripts}/check_options_documented.py" "$<TARGET_FILE:truewheel>")
add_test(NAME "check: the manual page is made from its source"
  COMMAND "${TRUEWHEEL_PYTHON}" "${scripts}/make_man_page.py" --check)
add_test(NAME "check: the checks find what they are there to find"
  COMMAND "${TRUEWHEEL_PYTHON}" "${package_tests}/check_scripts_test.py")
set_tests_properties("check: layers" "check: format and licence lines" "check: the manual page is made from its source"
  "check: options agree with manual page, completions and README" "check: the checks find what they are there to find"
  PROPERTIES LABELS check TIMEOUT 120)
set_tests_properties("check: clang-tidy" PROPERTIES LABELS "check;tidy;slow" TIMEOUT 1200 PROCESSORS 2)
