# What is linked into the program instead of being loaded at each start: a shared library costs 0.2 ms of the dynamic
# linker, libcrypto and libstdc++ 1 ms each. Only where truewheel is the project that is built: elsewhere the imported
# targets may be somebody else's, too.
include(CheckCXXSourceCompiles)

# truewheel_prefer_archive(TARGET FILE): TARGET, an imported library, becomes the archive FILE of the same folder, where
# that is installed and needs no other library.
function(truewheel_prefer_archive target file)
  if(NOT PROJECT_IS_TOP_LEVEL)
    return()
  endif()
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "INTERFACE_LIBRARY")  # pkg-config's
    get_target_property(shared ${target} INTERFACE_LINK_LIBRARIES)
    list(GET shared 0 shared)
  else()
    get_target_property(shared ${target} IMPORTED_LOCATION)
    if(NOT shared)
      get_target_property(shared ${target} IMPORTED_LOCATION_RELEASE)
    endif()
  endif()
  get_filename_component(folder "${shared}" DIRECTORY)
  set(archive "${folder}/${file}")
  if(NOT EXISTS "${archive}")
    return()
  endif()
  string(MAKE_C_IDENTIFIER "TRUEWHEEL_LINKS_${file}" links)
  set(CMAKE_REQUIRED_QUIET TRUE)
  set(CMAKE_REQUIRED_LIBRARIES -Wl,--whole-archive "${archive}" -Wl,--no-whole-archive m ${CMAKE_DL_LIBS} Threads::Threads)
  check_cxx_source_compiles("int main() { return 0; }" ${links})
  if(NOT ${links})
    return()
  endif()
  if(type STREQUAL "INTERFACE_LIBRARY")
    set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${archive};m;${CMAKE_DL_LIBS}")
  else()
    set_target_properties(${target} PROPERTIES IMPORTED_LOCATION "${archive}" IMPORTED_LOCATION_RELEASE "${archive}")
  endif()
endfunction()

# truewheel_prefer_static_runtime(TARGET): the same of the C++ library, unless a shared library of C++ is linked, which
# would bring it along (src/base/fmt_functions.cpp).
function(truewheel_prefer_static_runtime target)
  if(TRUEWHEEL_SANITIZE OR NOT LIEF_ARCHIVE OR NOT fmt_VERSION VERSION_LESS 10)
    return()
  endif()
  set(CMAKE_REQUIRED_QUIET TRUE)
  set(CMAKE_REQUIRED_LINK_OPTIONS -static-libstdc++ -static-libgcc)
  check_cxx_source_compiles("#include <string>\nint main() { return std::string().empty() ? 0 : 1; }" TRUEWHEEL_LINKS_STATIC_RUNTIME)
  if(TRUEWHEEL_LINKS_STATIC_RUNTIME)
    target_link_options(${target} PRIVATE ${CMAKE_REQUIRED_LINK_OPTIONS})
  endif()
endfunction()
