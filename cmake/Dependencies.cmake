# Every third-party library, found offline. What each is for: THIRD-PARTY-NOTICES.
find_package(LIEF REQUIRED)
find_package(OpenSSL 3.0 REQUIRED COMPONENTS Crypto)
find_package(ZLIB REQUIRED)
find_package(Threads REQUIRED)
find_package(spdlog REQUIRED CONFIG)
find_package(fmt REQUIRED CONFIG)
find_package(CLI11 REQUIRED CONFIG)
find_package(nlohmann_json REQUIRED CONFIG)
find_package(PkgConfig REQUIRED)
# Debian's libzip CMake export names a program of a package that libzip-dev does not depend on.
pkg_check_modules(LIBZIP REQUIRED IMPORTED_TARGET libzip)
pkg_check_modules(LIBDEFLATE REQUIRED IMPORTED_TARGET libdeflate)
pkg_check_modules(SQLITE3 REQUIRED IMPORTED_TARGET sqlite3)
pkg_check_modules(TOMLPLUSPLUS REQUIRED tomlplusplus)
if(TRUEWHEEL_TESTS)
  find_package(doctest REQUIRED CONFIG)
endif()
message(STATUS "truewheel: LIEF ${LIEF_VERSION}, OpenSSL ${OPENSSL_VERSION}, libzip ${LIBZIP_VERSION}, "
  "libdeflate ${LIBDEFLATE_VERSION}, SQLite ${SQLITE3_VERSION}, zlib ${ZLIB_VERSION_STRING}, fmt ${fmt_VERSION}, spdlog ${spdlog_VERSION}, "
  "CLI11 ${CLI11_VERSION}, json ${nlohmann_json_VERSION}")
