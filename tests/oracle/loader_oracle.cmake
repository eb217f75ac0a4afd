# The dynamic linkers of this machine judge the simulated ones.
add_executable(loader_oracle
  main.cpp
  oracle/loader_oracle_test.cpp oracle/loader_layouts.cpp oracle/loader_traces.cpp)
truewheel_settings(loader_oracle)
target_include_directories(loader_oracle PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
target_link_libraries(loader_oracle PRIVATE
  truewheel_base truewheel_elf truewheel_deps doctest::doctest ${TRUEWHEEL_LINK_LIBRARIES})
add_test(NAME loader_oracle COMMAND loader_oracle)
set_tests_properties(loader_oracle PROPERTIES LABELS oracle TIMEOUT 600)
