# One object library a module, so that a module cannot link what it may not use, and one installable
# static library of them all. Order and rules: CONTRIBUTING.md; scripts/check_layers.py checks them.
function(truewheel_settings target)
  target_include_directories(${target} PRIVATE
    "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(${target} PRIVATE truewheel_warnings truewheel_hardening truewheel_sanitizers)
endfunction()

function(truewheel_module name)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${name}/*.cpp")
  add_library(truewheel_${name} OBJECT ${sources})
  truewheel_settings(truewheel_${name})
  if(ARGN)
    target_link_libraries(truewheel_${name} PRIVATE ${ARGN})
  endif()
  set_property(GLOBAL APPEND PROPERTY TRUEWHEEL_MODULES truewheel_${name})
endfunction()

truewheel_module(base OpenSSL::Crypto PkgConfig::LIBDEFLATE ZLIB::ZLIB Threads::Threads fmt::fmt)
truewheel_module(elf LIEF::LIEF fmt::fmt nlohmann_json::nlohmann_json)
truewheel_module(deps fmt::fmt)
truewheel_module(policy fmt::fmt)
truewheel_module(wheel Threads::Threads fmt::fmt)
truewheel_module(check fmt::fmt)
truewheel_module(repair PkgConfig::SQLITE3 Threads::Threads fmt::fmt nlohmann_json::nlohmann_json)
truewheel_module(report spdlog::spdlog_header_only nlohmann_json::nlohmann_json fmt::fmt)
truewheel_module(commands fmt::fmt)
truewheel_module(cli CLI11::CLI11 fmt::fmt)
# toml++ and spdlog as headers only: one file uses each, and the program needs no libraries more at run time.
target_include_directories(truewheel_cli SYSTEM PRIVATE ${TOMLPLUSPLUS_INCLUDE_DIRS})
target_compile_definitions(truewheel_cli PRIVATE TOML_HEADER_ONLY=1)
target_include_directories(truewheel_wheel SYSTEM PRIVATE ${LIBZIP_INCLUDE_DIRS})
list(JOIN LIBZIP_FILES ":" libzip_files)
set_property(SOURCE "${PROJECT_SOURCE_DIR}/src/wheel/libzip.cpp" APPEND PROPERTY COMPILE_DEFINITIONS
  TRUEWHEEL_LIBZIP_SONAME="${LIBZIP_SONAME}" TRUEWHEEL_LIBZIP_FILES="${libzip_files}")

truewheel_embed(truewheel_policy src/policy/data/policies.txt policies)
truewheel_embed(truewheel_policy src/policy/data/profiles.txt profiles)

get_property(modules GLOBAL PROPERTY TRUEWHEEL_MODULES)
set(objects "")
foreach(module IN LISTS modules)
  list(APPEND objects $<TARGET_OBJECTS:${module}>)
endforeach()
add_library(truewheel_core STATIC ${objects})
add_library(truewheel::core ALIAS truewheel_core)
target_include_directories(truewheel_core PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
set(TRUEWHEEL_LINK_LIBRARIES LIEF::LIEF OpenSSL::Crypto PkgConfig::LIBDEFLATE ZLIB::ZLIB
  PkgConfig::SQLITE3 fmt::fmt Threads::Threads ${CMAKE_DL_LIBS})
target_link_libraries(truewheel_core PRIVATE ${TRUEWHEEL_LINK_LIBRARIES} truewheel_hardening truewheel_sanitizers)
target_compile_features(truewheel_core PUBLIC cxx_std_20)
