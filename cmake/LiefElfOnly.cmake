# LIEF's ELF parser derives from a class that knows the parsers of all formats, whose tables would be filled at every start
# of the program (2 ms). A copy of the archive in which the other formats' names are weak lets the linker leave them out;
# nothing here calls them. For this build alone: an installed truewheel is linked with LIEF as it is.
get_target_property(lief_archive LIEF::LIEF IMPORTED_LOCATION)
if(PROJECT_IS_TOP_LEVEL AND CMAKE_OBJCOPY AND lief_archive MATCHES "\\.a$")
  set(lief_elf_archive "${PROJECT_BINARY_DIR}/libLIEF-${LIEF_VERSION}-elf.a")
  set(lief_failed FALSE)
  if("${lief_archive}" IS_NEWER_THAN "${lief_elf_archive}")
    set(lief_weak "")
    foreach(format IN ITEMS 2PE 5MachO 3OAT 3DEX 4VDEX 3ART)
      list(APPEND lief_weak "--weaken-symbol=*4LIEF${format}*")
    endforeach()
    execute_process(COMMAND "${CMAKE_OBJCOPY}" --wildcard ${lief_weak} "${lief_archive}" "${lief_elf_archive}"
      RESULT_VARIABLE lief_failed)
  endif()
  if(NOT lief_failed)
    set_target_properties(LIEF::LIEF PROPERTIES IMPORTED_LOCATION "${lief_elf_archive}")
  endif()
endif()
