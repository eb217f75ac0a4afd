# Comparisons with other people's tools. Each script installs what it compares with into a virtual environment of its
# own and exits 77, reported as skipped, where that cannot be had.
file(GLOB oracles CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/oracle/*.py")
foreach(script IN LISTS oracles)
  get_filename_component(name "${script}" NAME_WE)
  add_test(NAME "oracle: ${name}" COMMAND python3 "${script}" $<TARGET_FILE:truewheel>)
  set_tests_properties("oracle: ${name}" PROPERTIES LABELS oracle SKIP_RETURN_CODE 77 TIMEOUT 600)
endforeach()

include("${CMAKE_CURRENT_LIST_DIR}/loader_oracle.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/readelf/readelf.cmake")
