# Archives, the texts of a wheel, configurations and whole repairs: seeds, then a short run from a fixed seed. Long runs:
# docs/reliability/fuzzing.md.
foreach(run IN ITEMS "archive 50000 4096" "text 100000 4096" "config 10000 4096" "repair 2000 20000")
  separate_arguments(run)
  list(GET run 0 name)
  list(GET run 1 count)
  list(GET run 2 length)
  truewheel_fuzz_target(${name} fuzz)
  target_compile_options(${name}_fuzz PRIVATE -fsanitize=fuzzer)
  target_link_options(${name}_fuzz PRIVATE -fsanitize=fuzzer)
  add_test(NAME "fuzz: ${name}"
    COMMAND ${name}_fuzz -runs=${count} -seed=1 -max_len=${length} -timeout=10 -rss_limit_mb=1024
            "${PROJECT_BINARY_DIR}/${name}_seeds")
  set_tests_properties("fuzz: ${name}" PROPERTIES FIXTURES_REQUIRED wheel_fuzz_seeds LABELS fuzz TIMEOUT 600)
endforeach()
