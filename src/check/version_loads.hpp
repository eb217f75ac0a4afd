// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/check.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <unordered_set>
#include <vector>

namespace truewheel::check {

/// True for what every process of glibc has loaded, whoever needs it.
[[nodiscard]] bool is_in_every_process(const std::string& library);

/// Gathers from simulated loads which needed versions a loader would stop at.
class VersionLoads {
 public:
  explicit VersionLoads(const Subject& subject) : subject_(subject) {}

  /// One load; `is_process`: of an extension module or a program, not of a library by itself.
  void add(std::size_t root, const std::vector<deps::LoadStep>& steps, bool is_process);

  /// The faults, each pair of file and library once. `is_offered` tells what the user's machine has
  /// if something asks for it.
  [[nodiscard]] std::vector<VersionFault> faults(
      const std::function<bool(const std::string&)>& is_offered) &&;

 private:
  struct Seen {
    VersionFault fault;
    bool is_process = false;
    bool has_unknown = false;  ///< libraries of the user's machine are loaded, whose needs may have
                               ///< the missing name
    bool lacks_any = false;    ///< a library was not found
  };

  void add_names_of_bionic();

  const Subject& subject_;
  std::vector<Seen> seen_;
  std::unordered_set<std::string> names_in_processes_;
};

}  // namespace truewheel::check
