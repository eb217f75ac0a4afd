# Seeds made with the compilers here, then a short run; a long one is
#   elf_reader_fuzz -max_len=20000 -timeout=5 FOLDER
add_executable(elf_reader_fuzz fuzz/elf_reader_fuzz.cpp)
truewheel_settings(elf_reader_fuzz)
target_compile_options(elf_reader_fuzz PRIVATE -fsanitize=fuzzer)
target_link_options(elf_reader_fuzz PRIVATE -fsanitize=fuzzer)
target_link_libraries(elf_reader_fuzz PRIVATE truewheel_base truewheel_elf ${TRUEWHEEL_LINK_LIBRARIES})
add_test(NAME "fuzz: elf reader makes its seeds"
  COMMAND bash "${CMAKE_CURRENT_SOURCE_DIR}/fuzz/elf_reader_seeds.sh" "${PROJECT_BINARY_DIR}/elf_reader_seeds")
add_test(NAME "fuzz: elf reader"
  COMMAND elf_reader_fuzz -runs=50000 -max_len=20000 -timeout=5 -rss_limit_mb=1024
          "${PROJECT_BINARY_DIR}/elf_reader_seeds")
set_tests_properties("fuzz: elf reader makes its seeds" PROPERTIES FIXTURES_SETUP elf_reader_seeds LABELS fuzz)
set_tests_properties("fuzz: elf reader" PROPERTIES FIXTURES_REQUIRED elf_reader_seeds LABELS fuzz TIMEOUT 300)
