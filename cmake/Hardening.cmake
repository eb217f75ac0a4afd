# We parse files from strangers as root: everything the OpenSSF guide asks for and this compiler has
# (https://best.openssf.org/Compiler-Hardening-Guides). FORTIFY needs optimisation and does not go with sanitizers.
include(CheckCXXCompilerFlag)
add_library(truewheel_hardening INTERFACE)
target_compile_options(truewheel_hardening INTERFACE
  -fstack-protector-strong -fstack-clash-protection -fno-delete-null-pointer-checks
  -fno-strict-overflow -fno-strict-aliasing)
# Messages and debug data name files as the repository does, so that two build folders give one binary.
target_compile_options(truewheel_hardening INTERFACE
  "-ffile-prefix-map=${PROJECT_BINARY_DIR}=." "-ffile-prefix-map=${PROJECT_SOURCE_DIR}=.")
target_compile_definitions(truewheel_hardening INTERFACE _GLIBCXX_ASSERTIONS)
target_link_options(truewheel_hardening INTERFACE
  -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack -Wl,--as-needed)
foreach(flag IN ITEMS -fcf-protection=full -ftrivial-auto-var-init=zero -fstrict-flex-arrays=3 -mbranch-protection=standard)
  string(MAKE_C_IDENTIFIER "TRUEWHEEL_HAS${flag}" have)
  check_cxx_compiler_flag("-Werror ${flag}" ${have})
  if(${have})
    target_compile_options(truewheel_hardening INTERFACE ${flag})
  endif()
endforeach()
if(NOT TRUEWHEEL_SANITIZE AND NOT TRUEWHEEL_COVERAGE AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  check_cxx_compiler_flag("-Werror -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3" TRUEWHEEL_HAS_FORTIFY3)
  target_compile_options(truewheel_hardening INTERFACE -U_FORTIFY_SOURCE
    -D_FORTIFY_SOURCE=$<IF:$<BOOL:${TRUEWHEEL_HAS_FORTIFY3}>,3,2>)
endif()
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
include(CheckPIESupported)
check_pie_supported()
