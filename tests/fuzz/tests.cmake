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
