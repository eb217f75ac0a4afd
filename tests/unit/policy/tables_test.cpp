// SPDX-License-Identifier: Apache-2.0
#include <truewheel/policy.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>

namespace truewheel::policy {
namespace {

using deps::Libc;

const std::vector<std::string>& architectures() {
  static const std::vector<std::string> names = {
      "x86_64", "i686", "aarch64", "armv7l", "ppc64", "ppc64le", "s390x", "riscv64", "loongarch64"};
  return names;
}

const Policy& find(const PolicyList& policies, const std::string& name) {
  const auto found = std::find_if(policies.begin(), policies.end(),
                                  [&](const auto& policy) { return policy->name == name; });
  REQUIRE_MESSAGE(found != policies.end(), name);
  return **found;
}

std::string highest(const Policy& policy, const std::string& family) {
  std::string best = "-";
  for (const std::string& version : policy.symbol_versions.at(family)) {
    if (version[0] < '0' || version[0] > '9') continue;
    if (best == "-" || compare_versions(best, version) < 0) best = version;
  }
  return best;
}

TEST_CASE("every newer policy allows all that the older ones allow") {
  for (const Libc libc : {Libc::glibc, Libc::musl, Libc::bionic}) {
    for (const std::string& architecture : architectures()) {
      const PolicyList policies = policies_for(libc, architecture);
      REQUIRE(policies.back()->name == "linux");
      CHECK(policies.back()->priority == 0);
      for (std::size_t i = 0; i + 2 < policies.size(); ++i) {
        const Policy& older = *policies[i];
        const Policy& newer = *policies[i + 1];
        CAPTURE(architecture);
        CAPTURE(newer.name);
        CHECK(newer.priority < older.priority);
        CHECK(std::includes(newer.allowed_libraries.begin(), newer.allowed_libraries.end(),
                            older.allowed_libraries.begin(), older.allowed_libraries.end()));
        for (const auto& [family, versions] : older.symbol_versions) {
          REQUIRE(newer.symbol_versions.contains(family));
          const auto& now = newer.symbol_versions.at(family);
          CHECK(std::includes(now.begin(), now.end(), versions.begin(), versions.end()));
        }
      }
    }
  }
}

TEST_CASE("the x86_64 tables have the highest versions that auditwheel's have") {
  struct Row {
    const char *policy, *glibc, *glibcxx, *cxxabi, *gcc, *zlib;
  };
  const std::array<Row, 16> rows = {{
      {"manylinux_2_5", "2.5", "3.4.8", "1.3.1", "4.2.0", "-"},
      {"manylinux_2_12", "2.12", "3.4.13", "1.3.3", "4.3.0", "1.2.2.4"},
      {"manylinux_2_17", "2.17", "3.4.19", "1.3.7", "4.8.0", "1.2.5.2"},
      {"manylinux_2_24", "2.24", "3.4.22", "1.3.10", "4.8.0", "1.2.5.2"},
      {"manylinux_2_26", "2.26", "3.4.22", "1.3.10", "4.8.0", "1.2.5.2"},
      {"manylinux_2_27", "2.27", "3.4.24", "1.3.11", "7.0.0", "1.2.9"},
      {"manylinux_2_28", "2.28", "3.4.24", "1.3.11", "7.0.0", "1.2.9"},
      {"manylinux_2_31", "2.31", "3.4.28", "1.3.12", "7.0.0", "1.2.9"},
      {"manylinux_2_34", "2.34", "3.4.29", "1.3.13", "7.0.0", "1.2.9"},
      {"manylinux_2_35", "2.35", "3.4.30", "1.3.13", "12.0.0", "1.2.9"},
      {"manylinux_2_36", "2.36", "3.4.30", "1.3.13", "12.0.0", "1.2.9"},
      {"manylinux_2_37", "2.36", "3.4.30", "1.3.13", "12.0.0", "1.2.12"},
      {"manylinux_2_38", "2.38", "3.4.30", "1.3.13", "12.0.0", "1.2.12"},
      {"manylinux_2_39", "2.39", "3.4.33", "1.3.15", "14.0.0", "1.2.12"},
      {"manylinux_2_40", "2.40", "3.4.33", "1.3.15", "14.0.0", "1.2.12"},
      {"manylinux_2_41", "2.41", "3.4.33", "1.3.15", "14.0.0", "1.2.12"},
  }};
  const PolicyList policies = policies_for(Libc::glibc, "x86_64");
  REQUIRE(policies.size() == rows.size() + 1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CAPTURE(rows[i].policy);
    CHECK(policies[i]->name == rows[i].policy);
    CHECK(highest(*policies[i], "GLIBC") == rows[i].glibc);
    CHECK(highest(*policies[i], "GLIBCXX") == rows[i].glibcxx);
    CHECK(highest(*policies[i], "CXXABI") == rows[i].cxxabi);
    CHECK(highest(*policies[i], "GCC") == rows[i].gcc);
    CHECK(highest(*policies[i], "ZLIB") == rows[i].zlib);
  }
  CHECK(find(policies, "manylinux_2_17").symbol_versions.at("CXXABI").contains("TM_1"));
  CHECK(find(policies, "manylinux_2_36").symbol_versions.at("GLIBC").contains("ABI_DT_RELR"));
  CHECK_FALSE(find(policies, "manylinux_2_35").symbol_versions.at("GLIBC").contains("ABI_DT_RELR"));
  // A family without versions is known all the same: any version of it is an offence.
  CHECK(find(policies, "manylinux_2_5").symbol_versions.at("LIBATOMIC").empty());
}

TEST_CASE("aarch64's manylinux_2_17 has the one GLIBC_2.18 that its glibc was given") {
  const auto policies = policies_for(Libc::glibc, "aarch64");
  const std::set<std::string> expected = {"2.0", "2.17", "2.18"};
  CHECK(policies.front()->name == "manylinux_2_17");
  CHECK(policies.front()->symbol_versions.at("GLIBC") == expected);
}

TEST_CASE("each architecture starts at the policy that first had it") {
  const auto first = [](const char* architecture) {
    return policies_for(Libc::glibc, architecture).front()->name;
  };
  CHECK(first("i686") == "manylinux_2_5");
  CHECK(first("armv7l") == "manylinux_2_17");
  CHECK(first("s390x") == "manylinux_2_17");
  CHECK(first("riscv64") == "manylinux_2_31");
  CHECK(first("loongarch64") == "manylinux_2_36");
  CHECK(first("sparc64") == "linux");
  CHECK(policies_for(Libc::glibc, "ppc64").size() == 2);
}

TEST_CASE("allowed libraries grow by libexpat at 2_12 and libmvec at 2_24") {
  const auto policies = policies_for(Libc::glibc, "x86_64");
  CHECK(find(policies, "manylinux_2_5").allowed_libraries.size() == 22);
  CHECK(find(policies, "manylinux_2_12").allowed_libraries.size() == 23);
  CHECK(find(policies, "manylinux_2_12").allowed_libraries.contains("libexpat.so.1"));
  CHECK(find(policies, "manylinux_2_17").allowed_libraries.size() == 23);
  CHECK(find(policies, "manylinux_2_24").allowed_libraries.size() == 24);
  CHECK(find(policies, "manylinux_2_24").allowed_libraries.contains("libmvec.so.1"));
  CHECK_FALSE(find(policies, "manylinux_2_5").allowed_libraries.contains("libcrypt.so.1"));
}

TEST_CASE("forbidden symbols leave libc after 2_17 and become fewer in zlib") {
  const auto policies = policies_for(Libc::glibc, "x86_64");
  const auto count = [&](const char* policy, const char* library) {
    const auto& symbols = find(policies, policy).blacklisted_symbols;
    return symbols.contains(library) ? symbols.at(library).size() : 0;
  };
  CHECK(count("manylinux_2_17", "libc.so.6") == 6);
  CHECK(count("manylinux_2_17", "libm.so.6") == 3);
  CHECK(count("manylinux_2_17", "libpthread.so.0") == 2);
  CHECK(count("manylinux_2_24", "libc.so.6") == 0);
  CHECK(count("manylinux_2_31", "libz.so.1") == 41);
  CHECK(count("manylinux_2_34", "libz.so.1") == 40);
  CHECK(count("manylinux_2_36", "libz.so.1") == 26);
  CHECK(count("manylinux_2_41", "libz.so.1") == 23);
}

TEST_CASE("musl's libc is allowed by the name that it has on the architecture") {
  const auto policies = policies_for(Libc::musl, "i686");
  REQUIRE(policies.size() == 3);
  CHECK(policies[0]->name == "musllinux_1_1");
  CHECK(policies[1]->name == "musllinux_1_2");
  const std::set<std::string> expected = {"libc.musl-x86.so.1", "libz.so.1"};
  CHECK(policies[1]->allowed_libraries == expected);
  CHECK(policies[1]->symbol_versions.empty());
  CHECK(policies_for(Libc::musl, "armv7l")[0]->allowed_libraries.contains("libc.musl-armv7.so.1"));
  CHECK(policies_for(Libc::musl, "loongarch64").size() == 2);
}

TEST_CASE("Android's tables list the levels at which its libraries changed") {
  const auto policies = policies_for(Libc::bionic, "aarch64");
  REQUIRE(policies.size() == 5);
  CHECK(policies[0]->name == "android_21");
  CHECK(policies[3]->name == "android_27");
  CHECK(policies[3]->allowed_libraries.contains("libneuralnetworks.so"));
  CHECK_FALSE(policies[2]->allowed_libraries.contains("libneuralnetworks.so"));
}

TEST_CASE("numbers in version names compare as numbers") {
  CHECK(compare_versions("GLIBC_2.9", "GLIBC_2.17") == -1);
  CHECK(compare_versions("2.34", "2.4") == 1);
  CHECK(compare_versions("3.4", "3.4.1") == -1);
  CHECK(compare_versions("3.4.30", "3.4.30") == 0);
  CHECK(compare_versions("2.007", "2.7") == 0);
  CHECK(compare_versions("99999999999999999999", "99999999999999999998") == 1);
  CHECK(compare_versions("", "1") == -1);
}

}  // namespace
}  // namespace truewheel::policy
