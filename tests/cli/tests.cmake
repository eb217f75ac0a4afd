# One behaviour a script; a script that exits 77 is reported as skipped.
file(GLOB scripts CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/cli/*.sh")
foreach(script IN LISTS scripts)
  get_filename_component(name "${script}" NAME_WE)
  add_test(NAME "cli: ${name}" COMMAND bash "${script}" $<TARGET_FILE:truewheel>)
  set_tests_properties("cli: ${name}" PROPERTIES LABELS cli SKIP_RETURN_CODE 77 TIMEOUT 120)
endforeach()
