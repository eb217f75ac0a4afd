# Warnings as an interface target; third-party headers come in as SYSTEM and stay quiet.
add_library(truewheel_warnings INTERFACE)
target_compile_options(truewheel_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Wold-style-cast
  -Wnull-dereference -Wformat=2 -Wimplicit-fallthrough -Werror=format-security
  $<$<BOOL:${TRUEWHEEL_WERROR}>:-Werror>)
