# What is left when truewheel is killed, or when a call of it fails. The defaults here try a sample;
# without --every all is tried (minutes).
# Not under sanitizers: leaks cannot be looked for under strace, and an allocator that is preloaded takes the place of theirs.
if(TRUEWHEEL_SANITIZE)
  return()
endif()
foreach(fault IN ITEMS "kill --every 7" "error --every 17" order "preload --allocations 40" full_disk)
  separate_arguments(words UNIX_COMMAND "${fault}")
  list(POP_FRONT words name)
  add_test(NAME "faults: ${name}"
    COMMAND Python3::Interpreter "${CMAKE_CURRENT_SOURCE_DIR}/faults/${name}_test.py" $<TARGET_FILE:truewheel> ${words})
  set_tests_properties("faults: ${name}" PROPERTIES LABELS faults SKIP_RETURN_CODE 77 TIMEOUT 600)
endforeach()
