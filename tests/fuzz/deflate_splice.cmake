# A fixed seed, so that the short run is the same everywhere; a long one is
#   deflate_splice_fuzz -max_len=20000 -timeout=5 FOLDER
add_executable(deflate_splice_fuzz fuzz/deflate_splice_fuzz.cpp)
truewheel_settings(deflate_splice_fuzz)
target_compile_options(deflate_splice_fuzz PRIVATE -fsanitize=fuzzer)
target_link_options(deflate_splice_fuzz PRIVATE -fsanitize=fuzzer)
target_link_libraries(deflate_splice_fuzz PRIVATE truewheel_base ${TRUEWHEEL_LINK_LIBRARIES})
add_test(NAME "fuzz: deflate splice makes its seeds"
  COMMAND python3 "${CMAKE_CURRENT_SOURCE_DIR}/fuzz/deflate_splice_seeds.py" "${PROJECT_BINARY_DIR}/deflate_splice_seeds")
add_test(NAME "fuzz: deflate splice"
  COMMAND deflate_splice_fuzz -runs=20000 -seed=1 -max_len=20000 -timeout=5 -rss_limit_mb=1024
          "${PROJECT_BINARY_DIR}/deflate_splice_seeds")
set_tests_properties("fuzz: deflate splice makes its seeds" PROPERTIES FIXTURES_SETUP deflate_splice_seeds LABELS fuzz)
set_tests_properties("fuzz: deflate splice" PROPERTIES FIXTURES_REQUIRED deflate_splice_seeds LABELS fuzz TIMEOUT 300)
