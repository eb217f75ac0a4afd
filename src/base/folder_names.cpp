// SPDX-License-Identifier: Apache-2.0
#include "base/folder_names.hpp"

#include <algorithm>
#include <cerrno>
#include <dirent.h>
#include <memory>

namespace truewheel {

std::optional<std::vector<std::string>> folder_names(const std::filesystem::path& folder) {
  struct Close {
    void operator()(DIR* open) const { ::closedir(open); }
  };
  std::unique_ptr<DIR, Close> open;
  do {
    open.reset(::opendir(folder.c_str()));
  } while (!open && errno == EINTR);
  if (!open) return std::nullopt;
  std::vector<std::string> names;
  for (;;) {
    errno = 0;  // readdir() tells the end from an error by errno alone
    const dirent* const entry = ::readdir(open.get());
    if (entry == nullptr) break;
    std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(std::move(name));
  }
  if (errno != 0) return std::nullopt;
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace truewheel
