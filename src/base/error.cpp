// SPDX-License-Identifier: Apache-2.0
#include <truewheel/error.hpp>

#include <fmt/format.h>

#include <utility>

namespace truewheel {

Error::Error(ErrorKind kind, std::string id, const std::string& what, std::string hint,
             std::source_location origin)
    : std::runtime_error(what),
      kind_(kind),
      id_(std::move(id)),
      hint_(std::move(hint)),
      origin_(origin) {}

Error Error::about(std::vector<std::string> subjects) && {
  subjects_ = std::move(subjects);
  return std::move(*this);
}

void Error::add_context(std::string_view outer) {
  // What the message begins with is not said twice: "a.whl: 'a.whl' does not exist".
  const std::string_view said = where_.empty() ? std::string_view(what()) : where_;
  const auto begins_with = [&](const std::string& start) { return said.starts_with(start); };
  if (begins_with(fmt::format("'{}' ", outer)) || begins_with(fmt::format("{}: ", outer)) ||
      begins_with(fmt::format("{} ", outer)) || said == outer) {
    return;
  }
  where_ = where_.empty() ? std::string(outer) : std::string(outer) + ": " + where_;
}

int exit_code(ErrorKind kind) noexcept {
  switch (kind) {
    case ErrorKind::unfit:
      return 1;
    case ErrorKind::usage:
      return 2;
    case ErrorKind::refused:
      return 3;
    case ErrorKind::io:
      return 4;
    case ErrorKind::withheld:
      return 5;
    case ErrorKind::internal:
      return 70;
  }
  return 70;
}

}  // namespace truewheel
