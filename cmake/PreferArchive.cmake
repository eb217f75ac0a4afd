# truewheel_prefer_archive(TARGET FILE): TARGET, an imported library, becomes the archive FILE where that is installed.
# A shared library costs every start of the program 0.2 ms of the dynamic linker, libcrypto 1 ms.
function(truewheel_prefer_archive target file)
  string(MAKE_C_IDENTIFIER "TRUEWHEEL_${file}" archive)
  find_library(${archive} NAMES "${file}")
  mark_as_advanced(${archive})
  if(NOT ${archive})
    return()
  endif()
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "INTERFACE_LIBRARY")  # pkg-config's
    set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${${archive}};m;${CMAKE_DL_LIBS}")
  else()
    set_target_properties(${target} PROPERTIES IMPORTED_LOCATION "${${archive}}" IMPORTED_LOCATION_RELEASE "${${archive}}")
  endif()
endfunction()
