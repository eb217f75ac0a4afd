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
