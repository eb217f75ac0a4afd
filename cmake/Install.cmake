# What an installation has: the program, the library with its CMake package and .pc file, the manual page,
# completions and licences. tests/package/find_package uses it from outside.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS truewheel RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT program)
# Hardening and sanitizers are interface targets that the static library's users must link with, too.
set_target_properties(truewheel_core PROPERTIES EXPORT_NAME core)
set_target_properties(truewheel_hardening PROPERTIES EXPORT_NAME hardening)
set_target_properties(truewheel_sanitizers PROPERTIES EXPORT_NAME sanitizers)
install(TARGETS truewheel_core truewheel_hardening truewheel_sanitizers EXPORT truewheel
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT library)
install(DIRECTORY include/truewheel DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT library)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/truewheel")
install(EXPORT truewheel NAMESPACE truewheel:: FILE truewheelTargets.cmake DESTINATION "${package_dir}" COMPONENT library)
configure_package_config_file(cmake/truewheelConfig.cmake.in truewheelConfig.cmake INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file(truewheelConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/truewheelConfig.cmake" "${CMAKE_CURRENT_BINARY_DIR}/truewheelConfigVersion.cmake"
  cmake/FindLIEF.cmake DESTINATION "${package_dir}" COMPONENT library)

# The .pc file finds its prefix from where it lies, so that a moved installation still works.
file(RELATIVE_PATH prefix_from_pc "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
string(REGEX REPLACE "/$" "" prefix_from_pc "${prefix_from_pc}")
configure_file(cmake/truewheel.pc.in truewheel.pc @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/truewheel.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT library)

install(FILES docs/truewheel.1 DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT program)
install(FILES docs/completions/truewheel.bash RENAME truewheel
  DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" COMPONENT program)
install(FILES docs/completions/_truewheel DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions" COMPONENT program)
install(FILES docs/completions/truewheel.fish DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d" COMPONENT program)
# README leads to the pages under docs.
install(FILES LICENSE THIRD-PARTY-NOTICES README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT program)
install(DIRECTORY docs DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT program PATTERN completions EXCLUDE PATTERN truewheel.1 EXCLUDE)
install(FILES fixtures/README.md DESTINATION "${CMAKE_INSTALL_DOCDIR}/fixtures" COMPONENT program)
install(FILES packaging/rocm-package-stage.Dockerfile DESTINATION "${CMAKE_INSTALL_DOCDIR}/packaging" COMPONENT program)
