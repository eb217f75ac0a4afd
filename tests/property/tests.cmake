# Random ELF layouts and edits, judged by running them. Long runs: elf_property.py --count 2000 --layouts 300 --seed N.
find_package(Python3 COMPONENTS Interpreter)
add_executable(elf_edit_driver property/elf_edit_driver.cpp)
truewheel_settings(elf_edit_driver)
target_link_libraries(elf_edit_driver PRIVATE truewheel_base truewheel_elf fmt::fmt ${TRUEWHEEL_LINK_LIBRARIES})
if(Python3_FOUND)
  add_test(NAME property/elf_edits COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/property/elf_property.py"
    --driver $<TARGET_FILE:elf_edit_driver> --seed 1 --count 60 --layouts 30)
  # A case that failed once: llvm-strip put an empty section into a LOAD that the next edit gave up.
  add_test(NAME property/elf_empty_section_in_a_load_that_goes COMMAND "${Python3_EXECUTABLE}"
    "${CMAKE_CURRENT_SOURCE_DIR}/property/elf_property.py" --driver $<TARGET_FILE:elf_edit_driver> --seed 20261208
    --count 300 --layouts 100 --only 165)
  add_test(NAME property/elf_growth COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/property/elf_growth.py"
    --driver $<TARGET_FILE:elf_edit_driver>)
  add_test(NAME property/elf_foreign COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/property/elf_foreign.py"
    --driver $<TARGET_FILE:elf_edit_driver> --seed 1 --kinds library)
  # Cross compilers and qemu-user; skipped where they are missing.
  foreach(machine aarch64 armhf i686 ppc64le ppc64 s390x riscv64 mips mipsel mips64el sparc64)
    add_test(NAME property/elf_on_${machine} COMMAND "${Python3_EXECUTABLE}"
      "${CMAKE_CURRENT_SOURCE_DIR}/property/elf_property.py" --driver $<TARGET_FILE:elf_edit_driver> --machine ${machine}
      --seed 1 --count 12 --layouts 10)
    set_tests_properties(property/elf_on_${machine} PROPERTIES LABELS "property;slow" TIMEOUT 900 SKIP_RETURN_CODE 77)
  endforeach()
  # Uses the compilers that are installed.
  add_test(NAME property/elf_languages COMMAND "${Python3_EXECUTABLE}"
    "${CMAKE_CURRENT_SOURCE_DIR}/property/elf_languages.py" --driver $<TARGET_FILE:elf_edit_driver>)
  set_tests_properties(property/elf_languages PROPERTIES LABELS "property;slow" TIMEOUT 600 SKIP_RETURN_CODE 77)
  add_test(NAME property/elf_large COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/property/elf_large.py"
    --truewheel $<TARGET_FILE:truewheel>)
  # Downloads five versions of patchelf; skipped without network.
  add_test(NAME property/after_patchelf COMMAND "${Python3_EXECUTABLE}"
    "${CMAKE_CURRENT_SOURCE_DIR}/property/after_patchelf.py" --truewheel $<TARGET_FILE:truewheel>)
  # Old patchelf moves sections by the order of their headers, which an edit of ours changes.
  add_test(NAME property/patchelf_after_truewheel COMMAND "${Python3_EXECUTABLE}"
    "${CMAKE_CURRENT_SOURCE_DIR}/property/patchelf_after_truewheel.py" --truewheel $<TARGET_FILE:truewheel>)
  set_tests_properties(property/elf_edits property/elf_empty_section_in_a_load_that_goes property/elf_growth property/elf_foreign property/elf_large
    property/after_patchelf property/patchelf_after_truewheel PROPERTIES LABELS property TIMEOUT 600 SKIP_RETURN_CODE 77)
endif()
