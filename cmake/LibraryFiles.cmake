# truewheel_library_files(RESULT FOLDER SONAME): what the dynamic linker needs for a library of this system, as paths
# that end in SONAMEs, each behind the libraries that it needs itself, the named one last. Without those of libc, which
# the program has, and without those that are not found, which the dynamic linker then looks for.
function(truewheel_library_files result folder soname)
  set(files "${${result}}")
  set(libc "^(ld-|ld64|lib(c|m|dl|rt|pthread|gcc_s|stdc\\+\\+)\\.|libc\\.musl)")
  string(MAKE_C_IDENTIFIER "truewheel_file_of_${soname}" file)
  if(DEFINED ${file})  # by a caller: the two need each other
    return()
  endif()
  find_file(${file} NAMES "${soname}" HINTS "${folder}" PATHS /usr /
    PATH_SUFFIXES "lib/${CMAKE_LIBRARY_ARCHITECTURE}" lib64 lib NO_CACHE)
  if(NOT ${file} OR "${${file}}" IN_LIST files)
    return()
  endif()
  execute_process(COMMAND "${CMAKE_OBJDUMP}" -p "${${file}}" OUTPUT_VARIABLE headers ERROR_QUIET)
  string(REGEX MATCHALL "NEEDED +[^ \n]+" needed "${headers}")
  get_filename_component(own_folder "${${file}}" DIRECTORY)
  foreach(line IN LISTS needed)
    string(REGEX REPLACE "NEEDED +" "" name "${line}")
    if(NOT name MATCHES "${libc}")
      truewheel_library_files(files "${own_folder}" "${name}")
    endif()
  endforeach()
  list(APPEND files "${${file}}")
  set(${result} "${files}" PARENT_SCOPE)
endfunction()
