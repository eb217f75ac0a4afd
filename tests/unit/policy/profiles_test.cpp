// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include <truewheel/error.hpp>
#include <truewheel/policy.hpp>

#include <doctest/doctest.h>

#include <set>

namespace truewheel::policy {
namespace {

// Whether a profile leaves out `needed`, through the pattern matching that resolve() uses (settled
// point 5).
bool leaves_out(const char* profile, const char* needed, const char* real_path = "") {
  std::vector<deps::ExcludePattern> patterns;
  for (const std::string& glob : find_profile(profile).globs) {
    deps::ExcludePattern pattern;
    pattern.glob = glob;
    patterns.push_back(pattern);
  }
  return deps::match_exclude(patterns, needed, real_path).has_value();
}

TEST_CASE("names and aliases are unique, and each profile has globs") {
  std::set<std::string> names;
  for (const Profile& profile : all_profiles()) {
    CAPTURE(profile.name);
    CHECK(names.insert(profile.name).second);
    for (const std::string& alias : profile.aliases) CHECK(names.insert(alias).second);
    CHECK_FALSE(profile.globs.empty());
    CHECK(&find_profile(profile.name) == &profile);
    const std::set<std::string> globs(profile.globs.begin(), profile.globs.end());
    CHECK(globs.size() == profile.globs.size());
    for (const std::string& entry : profile.site_entries) CHECK(entry.starts_with("site:"));
    for (const std::string& entry : profile.system_entries) CHECK(entry.starts_with("/"));
  }
  for (const char* name :
       {"rocm", "rocm-driver", "cuda-driver", "cuda", "cuda12", "cuda13", "torch", "rdma", "efa",
        "doca", "numa", "ascend", "musa", "xpu", "gcc-runtime", "libc", "system-net"}) {
    CHECK_MESSAGE(names.contains(name), name);
  }
}

TEST_CASE("hip is rocm, fabric is efa") {
  CHECK(&find_profile("hip") == &find_profile("rocm"));
  CHECK(&find_profile("fabric") == &find_profile("efa"));
}

TEST_CASE("an unknown profile is refused and the known ones named") {
  try {
    (void)find_profile("rcom");
    FAIL("accepted");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::usage);
    CHECK(error.id() == "unknown-profile");
    CHECK(error.hint().find("rocm, ") != std::string::npos);
  }
}

TEST_CASE("only what belongs to a kernel driver is a driver group") {
  std::vector<std::string> drivers;
  for (const Profile& profile : all_profiles()) {
    if (profile.is_driver) drivers.push_back(profile.name);
  }
  CHECK(drivers == std::vector<std::string>{"rocm-driver", "cuda-driver"});
}

TEST_CASE("no system folder has a version in its name or holds stubs") {
  for (const Profile& profile : all_profiles()) {
    for (const std::string& entry : profile.system_entries) {
      CAPTURE(entry);
      CHECK(entry.find("stubs") == std::string::npos);
      for (const std::string& component : split(entry, '/')) {
        if (component == "lib64") continue;
        CHECK(component.find_first_of("0123456789") == std::string::npos);
      }
    }
  }
  CHECK(find_profile("rocm").system_entries.front() == "/opt/rocm/lib");
}

TEST_CASE("profiles match the names that real wheels need") {
  CHECK(leaves_out("rocm", "libamdhip64.so.7"));
  CHECK(leaves_out("rocm", "librocblas.so.5"));
  CHECK(leaves_out("rocm", "librocprofiler-sdk-roctx.so.1"));
  CHECK_FALSE(leaves_out("rocm", "libunwind.so.8"));
  CHECK(leaves_out("rocm-driver", "libhsa-runtime64.so.1"));
  CHECK(leaves_out("cuda-driver", "libcuda.so.1"));
  CHECK_FALSE(leaves_out("cuda-driver", "libcudart.so.12"));
  CHECK(leaves_out("cuda12", "libcudart.so.12"));
  CHECK(leaves_out("cuda13", "libcudnn_ops.so.9"));
  CHECK(leaves_out("rdma", "libefa-rdmav34.so"));
  CHECK(leaves_out("torch", "libtorch_python.so"));
  CHECK_FALSE(leaves_out("torch", "libgomp.so.1"));
  CHECK(leaves_out("numa", "libnuma.so.1"));
}

TEST_CASE("Ascend's common names match only in the toolkit's folder") {
  CHECK(leaves_out("ascend", "libascendcl.so"));
  CHECK_FALSE(leaves_out("ascend", "libruntime.so", "/usr/lib/libruntime.so"));
  CHECK(leaves_out("ascend", "libruntime.so",
                   "/usr/local/Ascend/ascend-toolkit/8.0/lib64/libruntime.so"));
}

TEST_CASE("a site entry is seen from each file's own folder") {
  CHECK(expand_site_entry("site:torch/lib", "pkg/_x.so") == "$ORIGIN/../torch/lib");
  CHECK(expand_site_entry("site:torch/lib", "_x.so") == "$ORIGIN/torch/lib");
  CHECK(expand_site_entry("site:torch/lib", "a/b/c/_x.so") == "$ORIGIN/../../../torch/lib");
  CHECK(expand_site_entry("site:torch/lib/", "pkg/_x.so") == "$ORIGIN/../torch/lib");
  CHECK(expand_site_entry("site:pkg/lib", "pkg/_x.so") == "$ORIGIN/lib");
  CHECK(expand_site_entry("site:pkg", "pkg/_x.so") == "$ORIGIN");
}

TEST_CASE("a site entry that leaves site-packages is refused") {
  for (const char* entry : {"site:../lib", "site:/opt/lib", "torch/lib", "site:a/../../b"}) {
    CAPTURE(entry);
    CHECK_THROWS_AS((void)expand_site_entry(entry, "pkg/_x.so"), Error);
  }
}

}  // namespace
}  // namespace truewheel::policy
