# Seeds from the archive builder of the unit tests, then a short run; a long one is
#   wheel_fuzz -max_len=4096 -timeout=5 FOLDER
add_executable(wheel_seeds fuzz/wheel_seeds.cpp support/zip_builder.cpp)
add_executable(wheel_fuzz fuzz/wheel_fuzz.cpp)
foreach(target IN ITEMS wheel_seeds wheel_fuzz)
  truewheel_settings(${target})
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  target_link_libraries(${target} PRIVATE truewheel_base truewheel_wheel ${TRUEWHEEL_LINK_LIBRARIES})
endforeach()
target_compile_options(wheel_fuzz PRIVATE -fsanitize=fuzzer)
target_link_options(wheel_fuzz PRIVATE -fsanitize=fuzzer)
add_test(NAME "fuzz: wheel makes its seeds" COMMAND wheel_seeds "${PROJECT_BINARY_DIR}/wheel_seeds")
add_test(NAME "fuzz: wheel"
  COMMAND wheel_fuzz -runs=100000 -max_len=4096 -timeout=5 -rss_limit_mb=1024 "${PROJECT_BINARY_DIR}/wheel_seeds")
set_tests_properties("fuzz: wheel makes its seeds" PROPERTIES FIXTURES_SETUP wheel_seeds LABELS fuzz)
set_tests_properties("fuzz: wheel" PROPERTIES FIXTURES_REQUIRED wheel_seeds LABELS fuzz TIMEOUT 300)
