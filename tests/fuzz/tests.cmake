# truewheel_fuzz_target(NAME KIND): NAME_KIND of NAME_fuzz.cpp, for targets that use more than base or elf.
function(truewheel_fuzz_target name kind)
  add_executable(${name}_${kind} fuzz/${name}_fuzz.cpp ${ARGN})
  truewheel_settings(${name}_${kind})
  target_include_directories(${name}_${kind} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  target_link_libraries(${name}_${kind} PRIVATE truewheel_core ${TRUEWHEEL_LINK_LIBRARIES})
  if(name STREQUAL "config")
    target_link_libraries(config_${kind} PRIVATE CLI11::CLI11)
  elseif(name STREQUAL "repair")
    target_sources(repair_${kind} PRIVATE fuzz/built_wheel.cpp support/zip_builder.cpp)
  endif()
endfunction()

add_executable(archive_seeds fuzz/archive_seeds.cpp support/zip_builder.cpp)
truewheel_settings(archive_seeds)
target_include_directories(archive_seeds PRIVATE "${PROJECT_SOURCE_DIR}/tests")
target_link_libraries(archive_seeds PRIVATE truewheel_base ${TRUEWHEEL_LINK_LIBRARIES})
add_test(NAME "fuzz: archive makes its seeds" COMMAND archive_seeds "${PROJECT_BINARY_DIR}/archive_seeds")
add_test(NAME "fuzz: texts, configurations and repairs make their seeds"
  COMMAND python3 "${CMAKE_CURRENT_LIST_DIR}/seeds.py" "${PROJECT_BINARY_DIR}")
set_tests_properties("fuzz: archive makes its seeds" "fuzz: texts, configurations and repairs make their seeds" PROPERTIES
  FIXTURES_SETUP wheel_fuzz_seeds LABELS fuzz)

# libFuzzer targets, one *.cmake each. They need clang 15 or later: clang 14 has no std::source_location with
# libstdc++ 12.
if(TRUEWHEEL_FUZZ)
  # All of our code reports its coverage, not the targets alone.
  target_compile_options(truewheel_sanitizers INTERFACE -fsanitize=fuzzer-no-link)
  file(GLOB fuzz_targets CONFIGURE_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/*.cmake")
  list(REMOVE_ITEM fuzz_targets "${CMAKE_CURRENT_LIST_FILE}")
  foreach(fuzz_target IN LISTS fuzz_targets)
    include("${fuzz_target}")
  endforeach()
endif()

# What the fuzzers found worth keeping, in every build. Made anew by
#   elf_edit_fuzz -merge=1 -max_len=6000 KEPT FOLDER... && tar --sort=name -C KEPT -cJf elf_edit.tar.xz .
foreach(subject edit reader)
  add_executable(elf_${subject}_replay fuzz/elf_${subject}_fuzz.cpp fuzz/replay.cpp)
  truewheel_settings(elf_${subject}_replay)
  target_link_libraries(elf_${subject}_replay
    PRIVATE elf_edit_oracle truewheel_base truewheel_elf ${TRUEWHEEL_LINK_LIBRARIES})
  set(corpus "${PROJECT_BINARY_DIR}/elf_${subject}_corpus")
  file(MAKE_DIRECTORY "${corpus}")
  add_test(NAME "fuzz: elf ${subject} unpacks its corpus"
    COMMAND "${CMAKE_COMMAND}" -E tar xf "${CMAKE_CURRENT_LIST_DIR}/corpus/elf_${subject}.tar.xz"
    WORKING_DIRECTORY "${corpus}")
  add_test(NAME "fuzz: elf ${subject} replays its corpus" COMMAND elf_${subject}_replay "${corpus}")
  set_tests_properties("fuzz: elf ${subject} unpacks its corpus" PROPERTIES
    FIXTURES_SETUP elf_${subject}_corpus LABELS fuzz)
  set_tests_properties("fuzz: elf ${subject} replays its corpus" PROPERTIES
    FIXTURES_REQUIRED elf_${subject}_corpus LABELS fuzz TIMEOUT 300)
endforeach()
