# Malformed and odd ELF files: a table of cases, and sweeps over lengths and bytes.
add_library(elf_edit_oracle OBJECT elf_cases/edit_oracle.cpp)
truewheel_settings(elf_edit_oracle)
target_include_directories(elf_edit_oracle PUBLIC "${PROJECT_SOURCE_DIR}/tests")
target_link_libraries(elf_edit_oracle PUBLIC truewheel_base truewheel_elf)

add_executable(elf_sweep elf_cases/sweep.cpp)
truewheel_settings(elf_sweep)
target_link_libraries(elf_sweep PRIVATE elf_edit_oracle truewheel_base truewheel_elf fmt::fmt ${TRUEWHEEL_LINK_LIBRARIES})

# Long runs: elf_sweep bytes 1 and elf_sweep load 1, which are labelled slow.
find_package(Python3 COMPONENTS Interpreter)
set(elf_cases "${CMAKE_CURRENT_SOURCE_DIR}/elf_cases")
set(elf_cases_small "${PROJECT_BINARY_DIR}/elf_cases_small")
if(Python3_FOUND)
  # Sanitizers reserve more addresses than the limit allows.
  set(elf_cases_limit "")
  if(TRUEWHEEL_SANITIZE)
    set(elf_cases_limit --no-memory-limit)
  endif()
  add_test(NAME "elf cases: every malformed file meets its verdict"
    COMMAND "${Python3_EXECUTABLE}" "${elf_cases}/run.py" --tool $<TARGET_FILE:truewheel> --sweep $<TARGET_FILE:elf_sweep> ${elf_cases_limit})
  add_test(NAME "elf cases: small files are made" COMMAND "${Python3_EXECUTABLE}" "${elf_cases}/sweep.py" make "${elf_cases_small}")
  set_tests_properties("elf cases: small files are made" PROPERTIES FIXTURES_SETUP elf_cases_small)
  foreach(sweep IN ITEMS lengths bytes load)
    add_test(NAME "elf cases: ${sweep}"
      COMMAND "${Python3_EXECUTABLE}" "${elf_cases}/sweep.py" ${sweep} "${elf_cases_small}" $<TARGET_FILE:elf_sweep> ${elf_cases_limit})
    set_tests_properties("elf cases: ${sweep}" PROPERTIES FIXTURES_REQUIRED elf_cases_small)
  endforeach()
  add_test(NAME "elf cases: load, every change"
    COMMAND "${Python3_EXECUTABLE}" "${elf_cases}/sweep.py" load "${elf_cases_small}" $<TARGET_FILE:elf_sweep> --stride 1 ${elf_cases_limit})
  set_tests_properties("elf cases: load, every change" PROPERTIES FIXTURES_REQUIRED elf_cases_small)
  add_test(NAME "elf cases: a file of 5 GiB is planned"
    COMMAND "${Python3_EXECUTABLE}" "${elf_cases}/sweep.py" huge "${elf_cases_small}" $<TARGET_FILE:elf_sweep> ${elf_cases_limit})
  set_tests_properties("elf cases: a file of 5 GiB is planned" PROPERTIES FIXTURES_REQUIRED elf_cases_small)
  set_tests_properties("elf cases: every malformed file meets its verdict" "elf cases: small files are made" "elf cases: lengths"
    "elf cases: bytes" "elf cases: load" "elf cases: a file of 5 GiB is planned" PROPERTIES LABELS elf_cases TIMEOUT 900 SKIP_RETURN_CODE 77)
  set_tests_properties("elf cases: every malformed file meets its verdict" PROPERTIES PROCESSORS 2)
  set_tests_properties("elf cases: load, every change" PROPERTIES LABELS slow TIMEOUT 900 SKIP_RETURN_CODE 77)
endif()
