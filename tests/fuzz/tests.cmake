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

# What the fuzzer of the editor found worth keeping, in every build. Made anew by
#   elf_edit_fuzz -merge=1 -max_len=6000 KEPT FOLDER... && tar --sort=name -C KEPT -cJf elf_edit.tar.xz .
add_executable(elf_edit_replay fuzz/elf_edit_fuzz.cpp fuzz/replay.cpp)
truewheel_settings(elf_edit_replay)
target_link_libraries(elf_edit_replay PRIVATE elf_edit_oracle truewheel_base truewheel_elf ${TRUEWHEEL_LINK_LIBRARIES})
set(elf_edit_corpus "${PROJECT_BINARY_DIR}/elf_edit_corpus")
file(MAKE_DIRECTORY "${elf_edit_corpus}")
add_test(NAME "fuzz: elf edit unpacks its corpus"
  COMMAND "${CMAKE_COMMAND}" -E tar xf "${CMAKE_CURRENT_LIST_DIR}/corpus/elf_edit.tar.xz" WORKING_DIRECTORY "${elf_edit_corpus}")
add_test(NAME "fuzz: elf edit replays its corpus" COMMAND elf_edit_replay "${elf_edit_corpus}")
set_tests_properties("fuzz: elf edit unpacks its corpus" PROPERTIES FIXTURES_SETUP elf_edit_corpus LABELS fuzz)
set_tests_properties("fuzz: elf edit replays its corpus" PROPERTIES FIXTURES_REQUIRED elf_edit_corpus LABELS fuzz TIMEOUT 300)
