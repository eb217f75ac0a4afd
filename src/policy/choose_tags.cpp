// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "policy/tables.hpp"
#include <truewheel/error.hpp>
#include <truewheel/policy.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace truewheel::policy {
namespace {

constexpr std::size_t kOffencesShown = 20;

bool is_version_offence(const Offence& offence) {
  return offence.kind == Offence::Kind::version &&
         (offence.version.starts_with("GLIBCXX_") || offence.version.starts_with("CXXABI_") ||
          offence.version.starts_with("GCC_"));
}

std::string advice(const Verdict& verdict, const PolicyVerdict& failed) {
  const auto is_missing = [](const Offence& o) { return o.kind == Offence::Kind::missing_library; };
  const auto& offences = failed.offences;
  if (verdict.policies.size() == 1) {
    return "--plat linux keeps the tag linux_" + verdict.architecture + " and bundles nothing";
  }
  if (std::any_of(offences.begin(), offences.end(), is_missing)) {
    return "name the libraries' folders with --search DIR, or leave the libraries out with "
           "--exclude NAME";
  }
  if (verdict.best + 1 < verdict.policies.size()) {
    return "the best platform that the wheel meets is " +
           platform_tag(verdict.libc, verdict.policies[verdict.best].policy->name,
                        verdict.architecture);
  }
  if (std::all_of(offences.begin(), offences.end(), is_version_offence) && !offences.empty()) {
    return "--libstdcxx host, if the target's own libstdc++ is known to be new enough";
  }
  return {};
}

bool is_for_narrow_python(const Offence& offence) {
  return std::any_of(offence.symbols.begin(), offence.symbols.end(), [](const std::string& symbol) {
    return symbol.starts_with("PyUnicodeUCS2_");
  });
}

std::string_view name_of(const Offence& offence) {
  switch (offence.kind) {
    case Offence::Kind::version:
      return "version";
    case Offence::Kind::blacklisted_symbol:
      return "blacklisted-symbol";
    case Offence::Kind::library:
      return "library";
    case Offence::Kind::isa:
      return "isa";
    case Offence::Kind::python:
      return is_for_narrow_python(offence) ? "ucs2" : "pyfpe";
    case Offence::Kind::missing_library:
      return "missing-library";
  }
  return {};
}

// For Error::subjects(): the tag, then each kind of offence once.
std::vector<std::string> subjects_of(const PolicyVerdict& failed, const std::string& tag) {
  std::set<std::string_view> kinds;
  for (const Offence& offence : failed.offences) kinds.insert(name_of(offence));
  std::vector<std::string> subjects = {tag};
  subjects.insert(subjects.end(), kinds.begin(), kinds.end());
  return subjects;
}

[[noreturn]] void not_met(const Verdict& verdict, const PolicyVerdict& failed,
                          const std::string& tag) {
  const std::size_t count = failed.offences.size();
  std::string message = "the wheel does not meet " + tag;
  if (count == 0) {
    message += ": no platform is known for " + verdict.architecture;
  } else {
    message += " for " + std::to_string(count) + (count == 1 ? " reason:" : " reasons:");
  }
  for (std::size_t i = 0; i < std::min(count, kOffencesShown); ++i) {
    message += "\n  " + failed.offences[i].sentence();
  }
  if (count > kOffencesShown)
    message += "\n  and " + std::to_string(count - kOffencesShown) + " more";
  throw Error(ErrorKind::unfit, "platform-not-met", message, advice(verdict, failed))
      .about(subjects_of(failed, tag));
}

// A policy's number: of manylinux_2_28 or android_24 as parse_platform_tag has it.
std::pair<int, int> number_of(const std::string& policy_name) {
  const PlatformTag tag = parse_platform_tag(policy_name + "_any");
  return {tag.major, tag.minor};
}

class TagChooser {
 public:
  TagChooser(const Verdict& verdict, const std::vector<std::string>& name_tags)
      : verdict_(verdict), name_tags_(name_tags) {}

  TagChoice choose(const PlatformWish& wish, TagUpdate update) {
    const std::size_t wished = find_wished(wish);
    const PolicyVerdict& asked = verdict_.policies[wished];
    if (!asked.satisfied || (wish.automatic && is_linux(wished))) {
      // Where `auto` finds nothing, the newest policy says what is in the way, as it asks for the
      // least.
      const std::size_t told = is_linux(wished) && wished > 0 ? wished - 1 : wished;
      not_met(verdict_, verdict_.policies[told],
              is_linux(wished) && wished > 0 ? tag_of(verdict_.policies[told].policy->name)
                                             : asked_tag_);
    }
    choice_.policy = wished;
    add(wished, wish.automatic ? "the best platform that the wheel meets" : "asked for");
    if (update != TagUpdate::only_wish) {
      if (const auto better = find_better(wished)) {
        choice_.policy = *better;
        add(*better, "the wheel meets it, too");
      }
    }
    if (update == TagUpdate::none) {
      warn_of_false_tags();
    } else {
      for (const std::string& tag : name_tags_) judge_name_tag(tag, update);
      for (const auto& [tag, reason] : kept_) {
        choice_.platform_tags.push_back(tag);
        choice_.reasons.push_back(tag + ": " + reason);
      }
      choice_.reasons.insert(choice_.reasons.end(), dropped_.begin(), dropped_.end());
    }
    return std::move(choice_);
  }

  JudgedTags judge_own_files() {
    choice_.policy = verdict_.policies.size() - 1;  // "linux", under which nothing is bundled
    JudgedTags judged;
    for (const std::string& tag : name_tags_) {
      counts_ = is_own_fault;
      if (auto why = why_false(tag); !why.empty()) {
        judged.untrue.push_back({tag, std::move(why)});
        continue;
      }
      counts_ = is_own;
      if (auto why = why_false(tag); !why.empty()) {
        judged.conditional.push_back({tag, std::move(why)});
      }
    }
    return judged;
  }

 private:
  [[nodiscard]] bool is_linux(std::size_t index) const {
    return index + 1 == verdict_.policies.size();
  }
  [[nodiscard]] std::string tag_of(std::string_view policy_name) const {
    return platform_tag(verdict_.libc, policy_name, verdict_.architecture);
  }

  std::size_t find_wished(const PlatformWish& wish) {
    if (verdict_.libc == deps::Libc::bionic && wish.policy != "linux") return find_android(wish);
    if (wish.automatic) {
      asked_tag_ = tag_of(verdict_.policies[verdict_.best].policy->name);
      return verdict_.best;
    }
    asked_tag_ = tag_of(wish.policy);
    for (std::size_t i = 0; i < verdict_.policies.size(); ++i) {
      if (verdict_.policies[i].policy->name == wish.policy) return i;
    }
    throw Error(ErrorKind::internal, "policy-wish",
                "the platform '" + wish.policy + "' was accepted but is not judged");
  }

  // An Android wheel says in its name which API level it is for, and keeps saying so; the tables
  // list only the levels at which the system's libraries changed, and the last one at or below the
  // wheel's is the one that binds.
  std::size_t find_android(const PlatformWish& wish) {
    asked_tag_.clear();
    if (!wish.automatic) {
      asked_tag_ = tag_of(wish.policy);
    } else {
      for (const std::string& tag : name_tags_) {
        const PlatformTag parsed = parse_platform_tag(tag);
        if (parsed.family != "android" || parsed.architecture != verdict_.architecture) continue;
        if (asked_tag_.empty() || parsed.major < parse_platform_tag(asked_tag_).major) {
          asked_tag_ = tag;
        }
      }
    }
    const int level = asked_tag_.empty() ? 0 : parse_platform_tag(asked_tag_).major;
    std::optional<std::size_t> binding;
    for (std::size_t i = 0; i + 1 < verdict_.policies.size(); ++i) {
      if (number_of(verdict_.policies[i].policy->name).first <= level) binding = i;
    }
    if (!binding) {
      throw Error(ErrorKind::unfit, "platform-not-met",
                  "the wheel's name has no Android API level that Python supports (21 and newer)",
                  "--plat android_24");
    }
    return *binding;
  }

  // auditwheel's rule: a stricter policy is offered beside the asked one unless it would bundle
  // more. For musl there is no proof of an older version (Verdict::best), and Android wheels have
  // the one level of their name.
  std::optional<std::size_t> find_better(std::size_t wished) const {
    if (verdict_.libc == deps::Libc::bionic) return std::nullopt;
    const std::size_t first = verdict_.libc == deps::Libc::musl ? verdict_.best : 0;
    for (std::size_t i = first; i < wished; ++i) {
      const PolicyVerdict& candidate = verdict_.policies[i];
      if (candidate.satisfied &&
          candidate.grafts.size() <= verdict_.policies[wished].grafts.size()) {
        return i;
      }
    }
    return std::nullopt;
  }

  void add(std::size_t index, const std::string& reason) {
    if (verdict_.libc == deps::Libc::bionic && !is_linux(index)) {
      kept_.emplace(asked_tag_, reason);
      return;
    }
    const Policy& policy = *verdict_.policies[index].policy;
    const std::string tag = tag_of(policy.name);
    kept_.emplace(tag, reason);
    for (const std::string& alias : policy.aliases) {
      kept_.emplace(tag_of(alias), "another name of " + tag);
    }
  }

  // Why a tag of the name does not hold for the finished wheel; empty when it does.
  [[nodiscard]] std::string why_false(const std::string& tag) const {
    const PlatformTag parsed = parse_platform_tag(tag);
    if (parsed.family == "any") return "the wheel holds files of one platform";
    const bool is_ours = parsed.family == tag_family(verdict_.libc);
    if (parsed.family == "linux" || is_ours) {
      if (parsed.architecture != verdict_.architecture) {
        return "the wheel is for " + tag_architecture(verdict_.libc, verdict_.architecture);
      }
      return is_ours ? why_unmet(parsed) : std::string();
    }
    for (const deps::Libc libc : {deps::Libc::glibc, deps::Libc::musl, deps::Libc::bionic}) {
      if (parsed.family == tag_family(libc)) {
        return "the wheel is for " + std::string(libc_name(verdict_.libc));
      }
    }
    return std::string("the wheel's ELF files are for ") +
           (verdict_.libc == deps::Libc::bionic ? "Android" : "Linux");
  }

  // A tag holds if a policy with its number or a lower one holds with what is bundled. Policies
  // newer than the chosen one allow more; an older one must not count on a library that stays
  // outside.
  [[nodiscard]] std::string why_unmet(const PlatformTag& tag) const {
    const std::vector<deps::NodeId>& bundled = verdict_.policies[choice_.policy].grafts;
    std::string why = "no policy covers it";
    for (std::size_t i = 0; i + 1 < verdict_.policies.size(); ++i) {
      const PolicyVerdict& candidate = verdict_.policies[i];
      if (number_of(candidate.policy->name) > std::pair(tag.major, tag.minor)) continue;
      if (counts_ != nullptr) {
        const auto own =
            std::find_if(candidate.offences.begin(), candidate.offences.end(), counts_);
        const std::size_t outside = counts_ == is_own ? candidate.grafts.size() : 0;
        if (own == candidate.offences.end() && outside == 0) return {};
        if (own == candidate.offences.end()) {
          why = fmt::format("the tag promises none of {} from outside the wheel",
                            outside == 1 ? "the library" : fmt::format("{} libraries", outside));
          continue;
        }
        Offence told = *own;
        told.searched.clear();
        why = told.sentence();
        continue;
      }
      if (!candidate.satisfied) {
        why = candidate.offences.front().sentence();
      } else if (i < choice_.policy &&
                 !std::includes(bundled.begin(), bundled.end(), candidate.grafts.begin(),
                                candidate.grafts.end())) {
        why = "it would have to bundle more libraries";
      } else {
        return {};
      }
    }
    return why;
  }

  // What the wheel's own files need, as against what comes with libraries that this machine happens
  // to have: a wheel may leave those to the user's on purpose.
  static bool is_own(const Offence& offence) { return offence.in_wheel; }
  static bool is_own_fault(const Offence& offence) {
    return offence.in_wheel && offence.kind != Offence::Kind::missing_library;
  }

  void judge_name_tag(const std::string& tag, TagUpdate update) {
    if (kept_.contains(tag)) return;
    if (update == TagUpdate::only_wish) {
      dropped_.push_back(tag + ": dropped, --only-plat keeps " + asked_tag_ + " alone");
      return;
    }
    const std::string why = why_false(tag);
    if (!why.empty()) {
      dropped_.push_back(tag + ": dropped, " + why);
    } else if (parse_platform_tag(tag).family == "linux") {
      dropped_.push_back(tag + ": replaced by " + asked_tag_);
    } else {
      kept_.emplace(tag, "in the file name, and still true");
    }
  }

  void warn_of_false_tags() {
    choice_.platform_tags = name_tags_;
    for (const std::string& tag : name_tags_) {
      const std::string why = why_false(tag);
      if (why.empty()) {
        choice_.reasons.push_back(tag + ": in the file name, left as it is");
      } else {
        choice_.warnings.push_back("the name keeps the tag " + tag + ", which is not true: " + why);
      }
    }
  }

  const Verdict& verdict_;
  const std::vector<std::string>& name_tags_;
  std::string asked_tag_;
  bool (*counts_)(const Offence&) = nullptr;  ///< set: only these offences, with nothing bundled
  std::map<std::string, std::string> kept_;   // tag -> reason, sorted by tag
  std::vector<std::string> dropped_;
  TagChoice choice_;
};

}  // namespace

TagChoice choose_tags(const Verdict& verdict, const PlatformWish& wish, TagUpdate update,
                      const std::vector<std::string>& name_tags) {
  return TagChooser(verdict, name_tags).choose(wish, update);
}

JudgedTags judge_name_tags(const Verdict& verdict, const std::vector<std::string>& name_tags) {
  return TagChooser(verdict, name_tags).judge_own_files();
}

}  // namespace truewheel::policy
