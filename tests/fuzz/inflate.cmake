# A fixed seed, so that the short run is the same everywhere; a long one is
#   inflate_fuzz -max_len=4096 -timeout=5 FOLDER
add_executable(inflate_fuzz fuzz/inflate_fuzz.cpp)
truewheel_settings(inflate_fuzz)
target_include_directories(inflate_fuzz PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
target_compile_options(inflate_fuzz PRIVATE -fsanitize=fuzzer)
target_link_options(inflate_fuzz PRIVATE -fsanitize=fuzzer)
target_link_libraries(inflate_fuzz PRIVATE truewheel_base ${TRUEWHEEL_LINK_LIBRARIES})
add_test(NAME "fuzz: inflate"
  COMMAND inflate_fuzz -runs=30000 -seed=1 -max_len=4096 -timeout=5 -rss_limit_mb=1024
          "${PROJECT_BINARY_DIR}/deflate_splice_seeds")
set_tests_properties("fuzz: inflate" PROPERTIES FIXTURES_REQUIRED deflate_splice_seeds LABELS fuzz TIMEOUT 300)
