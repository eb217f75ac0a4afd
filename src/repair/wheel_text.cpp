// SPDX-License-Identifier: Apache-2.0
#include "repair/wheel_text.hpp"

#include <algorithm>

namespace truewheel::repair {

std::string planned_wheel_text(const LoadedWheel& wheel, const wheel::WheelName& name,
                               const Options& options) {
  auto metadata = wheel.metadata;
  if (options.tag_update != policy::TagUpdate::none) {
    auto wanted = name.expanded_tags();
    auto present = metadata.tags();
    // The same set in another order is left as the build wrote it.
    auto sorted_wanted = wanted;
    std::sort(sorted_wanted.begin(), sorted_wanted.end());
    std::sort(present.begin(), present.end());
    if (sorted_wanted != present) metadata.set_tags(wanted);
  }
  metadata.set_root_is_purelib(false);
  return metadata.format();
}

}  // namespace truewheel::repair
