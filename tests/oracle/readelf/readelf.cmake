# Our ELF facts against binutils' readelf over a sample of this system's files.
add_executable(print_facts "${CMAKE_CURRENT_LIST_DIR}/print_facts.cpp")
truewheel_settings(print_facts)
target_link_libraries(print_facts PRIVATE truewheel_base truewheel_elf ${TRUEWHEEL_LINK_LIBRARIES})
add_test(NAME "oracle: readelf agrees with our ELF facts"
  COMMAND python3 "${CMAKE_CURRENT_LIST_DIR}/readelf_agreement.py" $<TARGET_FILE:print_facts>)
set_tests_properties("oracle: readelf agrees with our ELF facts" PROPERTIES
  LABELS oracle SKIP_RETURN_CODE 77 TIMEOUT 600)
