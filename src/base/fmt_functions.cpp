// SPDX-License-Identifier: Apache-2.0
// What the program calls of fmt's library, compiled in once from its headers: the shared libfmt
// would bring the shared libstdc++ along, and the two cost every start of the program 1 ms of the
// dynamic linker. What another version of fmt has besides still comes from its library.
#undef FMT_SHARED
#define FMT_HEADER_ONLY 1
#include <fmt/format.h>

#if FMT_VERSION >= 90000 && FMT_VERSION < 100000
namespace fmt::detail {
template auto thousands_sep_impl<char>(locale_ref) -> thousands_sep_result<char>;
template auto decimal_point_impl<char>(locale_ref) -> char;
template auto locale_ref::get<std::locale>() const -> std::locale;
}  // namespace fmt::detail
#endif

namespace {

// Inline functions are made where they are used.
[[gnu::used]] std::string (*const kFormat)(fmt::string_view, fmt::format_args) = &fmt::vformat;

}  // namespace
