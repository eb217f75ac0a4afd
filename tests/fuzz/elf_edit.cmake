# Seeds made with the compilers here, then a short run; a long one is
#   elf_edit_fuzz -max_len=6000 -timeout=5 FOLDER
add_executable(elf_edit_fuzz fuzz/elf_edit_fuzz.cpp)
truewheel_settings(elf_edit_fuzz)
target_compile_options(elf_edit_fuzz PRIVATE -fsanitize=fuzzer)
target_link_options(elf_edit_fuzz PRIVATE -fsanitize=fuzzer)
target_link_libraries(elf_edit_fuzz PRIVATE elf_edit_oracle truewheel_base truewheel_elf ${TRUEWHEEL_LINK_LIBRARIES})
add_test(NAME "fuzz: elf edit makes its seeds"
  COMMAND python3 "${CMAKE_CURRENT_SOURCE_DIR}/fuzz/elf_edit_seeds.py" "${PROJECT_BINARY_DIR}/elf_edit_seeds")
add_test(NAME "fuzz: elf edit"
  COMMAND elf_edit_fuzz -runs=50000 -seed=1 -max_len=6000 -timeout=5 -rss_limit_mb=1024
          "${PROJECT_BINARY_DIR}/elf_edit_seeds")
set_tests_properties("fuzz: elf edit makes its seeds" PROPERTIES FIXTURES_SETUP elf_edit_seeds LABELS fuzz)
set_tests_properties("fuzz: elf edit" PROPERTIES FIXTURES_REQUIRED elf_edit_seeds LABELS fuzz TIMEOUT 300)
