# Fuzz targets NAME_fuzz.cpp. In every build NAME_replay feeds each one its seeds, what earlier runs found worth keeping
# (corpus/NAME.tar.xz), every past finding (findings/NAME) and changed copies of them all. With TRUEWHEEL_FUZZ there is
# NAME_fuzz with libFuzzer, too: clang 15 or later, clang 14 has no std::source_location with libstdc++ 12.
#
# A corpus is made anew by
#   NAME_fuzz -merge=1 -max_len=6000 KEPT FOLDER... && tar --sort=name -C KEPT -cJf NAME.tar.xz .

# truewheel_fuzz_program(PROGRAM NAME SOURCE...): NAME's target with what it uses.
function(truewheel_fuzz_program program name)
  add_executable(${program} fuzz/${name}_fuzz.cpp ${ARGN})
  truewheel_settings(${program})
  target_include_directories(${program} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  if(name MATCHES "^elf")
    target_link_libraries(${program} PRIVATE elf_edit_oracle truewheel_base truewheel_elf)
  elseif(name MATCHES "^(archive|text)$")
    target_link_libraries(${program} PRIVATE truewheel_base truewheel_wheel)
  elseif(name MATCHES "^(config|repair)$")
    target_link_libraries(${program} PRIVATE truewheel_core CLI11::CLI11)
  else()
    target_link_libraries(${program} PRIVATE truewheel_base)
  endif()
  if(name STREQUAL "repair")
    target_sources(${program} PRIVATE fuzz/built_wheel.cpp support/zip_builder.cpp)
  endif()
  target_link_libraries(${program} PRIVATE ${TRUEWHEEL_LINK_LIBRARIES})
endfunction()

# Seeds are made once, by one command a fixture.
add_executable(archive_seeds fuzz/archive_seeds.cpp support/zip_builder.cpp)
truewheel_settings(archive_seeds)
target_include_directories(archive_seeds PRIVATE "${PROJECT_SOURCE_DIR}/tests")
target_link_libraries(archive_seeds PRIVATE truewheel_base ${TRUEWHEEL_LINK_LIBRARIES})
set(fuzz "${CMAKE_CURRENT_LIST_DIR}")
add_test(NAME "fuzz: archive makes its seeds" COMMAND archive_seeds "${PROJECT_BINARY_DIR}/archive_seeds")
add_test(NAME "fuzz: texts, configurations and repairs make their seeds"
  COMMAND python3 "${fuzz}/seeds.py" "${PROJECT_BINARY_DIR}")
add_test(NAME "fuzz: deflate makes its seeds"
  COMMAND python3 "${fuzz}/deflate_splice_seeds.py" "${PROJECT_BINARY_DIR}/deflate_splice_seeds")
add_test(NAME "fuzz: elf edit makes its inputs"
  COMMAND python3 "${fuzz}/elf_edit_seeds.py" "${PROJECT_BINARY_DIR}/elf_edit_inputs" --cases)
set_tests_properties("fuzz: elf edit makes its inputs" PROPERTIES FIXTURES_SETUP elf_edit_inputs LABELS fuzz)
set_tests_properties("fuzz: archive makes its seeds" "fuzz: texts, configurations and repairs make their seeds"
  "fuzz: deflate makes its seeds" PROPERTIES FIXTURES_SETUP fuzz_seeds LABELS fuzz)

# NAME, changed copies in a test run, runs of the short libFuzzer test, longest input, its seeds.
set(targets
  "archive 200000 50000 4096 archive_seeds"
  "text 300000 100000 4096 text_seeds"
  "config 5000 10000 4096 config_seeds"
  "repair 2000 2000 20000 repair_seeds"
  "inflate 20000 30000 4096 deflate_splice_seeds"
  "deflate_splice 3000 20000 20000 deflate_splice_seeds"
  "elf_edit 20000 0 6000 elf_edit_inputs"
  "elf_reader 0 0 6000 -")

if(TRUEWHEEL_FUZZ)
  # All of our code reports its coverage, not the targets alone.
  target_compile_options(truewheel_sanitizers INTERFACE -fsanitize=fuzzer-no-link)
  include("${fuzz}/elf_edit.cmake")
  include("${fuzz}/elf_reader.cmake")
endif()

foreach(target IN LISTS targets)
  separate_arguments(target)
  list(POP_FRONT target name changes runs length seeds)
  truewheel_fuzz_program(${name}_replay ${name} fuzz/replay.cpp)
  set(folders "")
  if(NOT seeds STREQUAL "-")
    list(APPEND folders "${PROJECT_BINARY_DIR}/${seeds}")
  endif()
  if(EXISTS "${fuzz}/findings/${name}")
    list(APPEND folders "${fuzz}/findings/${name}")
  endif()
  set(fixtures fuzz_seeds)
  if(name STREQUAL "elf_edit")
    list(APPEND fixtures elf_edit_inputs)
  endif()
  if(EXISTS "${fuzz}/corpus/${name}.tar.xz")
    set(corpus "${PROJECT_BINARY_DIR}/${name}_corpus")
    file(MAKE_DIRECTORY "${corpus}")
    list(APPEND folders "${corpus}")
    list(APPEND fixtures ${name}_corpus)
    add_test(NAME "fuzz: ${name} unpacks its corpus"
      COMMAND "${CMAKE_COMMAND}" -E tar xf "${fuzz}/corpus/${name}.tar.xz" WORKING_DIRECTORY "${corpus}")
    set_tests_properties("fuzz: ${name} unpacks its corpus" PROPERTIES FIXTURES_SETUP ${name}_corpus LABELS fuzz)
  endif()
  add_test(NAME "fuzz: ${name} replays its corpus and changes it"
    COMMAND ${name}_replay --changes ${changes} 1 ${folders})
  set_tests_properties("fuzz: ${name} replays its corpus and changes it" PROPERTIES
    FIXTURES_REQUIRED "${fixtures}" LABELS fuzz TIMEOUT 600)
  if(TRUEWHEEL_FUZZ AND NOT name MATCHES "^elf")
    truewheel_fuzz_program(${name}_fuzz ${name})
    target_compile_options(${name}_fuzz PRIVATE -fsanitize=fuzzer)
    target_link_options(${name}_fuzz PRIVATE -fsanitize=fuzzer)
    # A fixed seed, so that the short run is the same everywhere.
    add_test(NAME "fuzz: ${name}"
      COMMAND ${name}_fuzz -runs=${runs} -seed=1 -max_len=${length} -timeout=10 -rss_limit_mb=1024 ${folders})
    set_tests_properties("fuzz: ${name}" PROPERTIES FIXTURES_REQUIRED "${fixtures}" LABELS fuzz TIMEOUT 600)
  endif()
endforeach()

# Minutes of libFuzzer in a test run, for the targets that are quickly built; the changed copies stand in for the others.
if(NOT TRUEWHEEL_FUZZ AND NOT TRUEWHEEL_SANITIZE AND NOT TRUEWHEEL_COVERAGE)
  add_test(NAME "fuzz: new inputs, for minutes"
    COMMAND "${PROJECT_SOURCE_DIR}/scripts/fuzz" --seconds 50 archive text inflate deflate_splice)
  set_tests_properties("fuzz: new inputs, for minutes" PROPERTIES LABELS "fuzz;slow" TIMEOUT 1800 SKIP_RETURN_CODE 77)
endif()
