// SPDX-License-Identifier: Apache-2.0
#include "repair/tag_plan.hpp"

#include <algorithm>

namespace truewheel::repair {

policy::TagChoice plan_tags(const Examined& examined, const Options& options) {
  const auto wish = policy::parse_platform_wish(options.platform, examined.wheel.libc,
                                                examined.wheel.architecture);
  return policy::choose_tags(examined.verdict, wish, options.tag_update,
                             examined.wheel.name.platform_tags);
}

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
