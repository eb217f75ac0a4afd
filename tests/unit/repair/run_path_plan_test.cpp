// SPDX-License-Identifier: Apache-2.0
#include "repair/run_path_plan.hpp"

#include <doctest/doctest.h>

using namespace truewheel;
using repair::Plan;
using repair::PlannedFile;

namespace {

elf::ElfFacts library(const std::string& soname, std::vector<std::string> needed) {
  elf::ElfFacts facts;
  facts.kind = elf::FileKind::shared_object;
  facts.bits = 64;
  facts.type = 3;
  facts.machine = 62;
  facts.soname = soname;
  facts.needed = std::move(needed);
  return facts;
}

PlannedFile member(const std::string& path, elf::ElfFacts facts) {
  PlannedFile file;
  file.path = path;
  file.member = 0;
  file.facts = std::move(facts);
  return file;
}

repair::RunPathRules rules() {
  repair::RunPathRules result;
  result.libs_folder = "pkg.libs";
  result.member_folders = {"pkg", "pkg/lib"};
  return result;
}

}  // namespace

TEST_CASE("a sibling that the loader does not find gets its folder into the run path") {
  Plan plan;
  plan.files.push_back(member("pkg/_x.so", library("_x.so", {"liba.so"})));
  plan.files.push_back(member("pkg/lib/liba.so", library("liba.so", {})));
  plan.files[0].edges = {{"liba.so", 1}};
  repair::plan_run_paths(plan, rules());
  REQUIRE(plan.files[0].edit.run_path);
  CHECK(*plan.files[0].edit.run_path == elf::RunPath{elf::RunPathKind::rpath, "$ORIGIN/lib"});
  CHECK(plan.files[1].edit.empty());
}

TEST_CASE("a sibling that the loader finds by an importer's DT_RPATH leaves its file alone") {
  Plan plan;
  plan.files.push_back(member("pkg/_x.so", library("_x.so", {"liba.so"})));
  plan.files[0].facts.rpath = "$ORIGIN/lib";
  plan.files.push_back(member("pkg/lib/liba.so", library("liba.so", {"libb.so"})));
  plan.files.push_back(member("pkg/lib/libb.so", library("libb.so", {})));
  plan.files[0].edges = {{"liba.so", 1}};
  plan.files[1].edges = {{"libb.so", 2}};
  repair::plan_run_paths(plan, rules());
  for (const auto& file : plan.files) CHECK(file.edit.empty());
}

TEST_CASE("DT_RUNPATH is not inherited, so the inner library gets its own entry") {
  Plan plan;
  plan.files.push_back(member("pkg/_x.so", library("_x.so", {"liba.so"})));
  plan.files[0].facts.runpath = "$ORIGIN/lib";
  plan.files.push_back(member("pkg/lib/liba.so", library("liba.so", {"libb.so"})));
  plan.files.push_back(member("pkg/lib/libb.so", library("libb.so", {})));
  plan.files[0].edges = {{"liba.so", 1}};
  plan.files[1].edges = {{"libb.so", 2}};
  repair::plan_run_paths(plan, rules());
  CHECK(plan.files[0].edit.empty());
  REQUIRE(plan.files[1].edit.run_path);
  CHECK(*plan.files[1].edit.run_path == elf::RunPath{elf::RunPathKind::rpath, "$ORIGIN"});
}

TEST_CASE("absolute, empty and climbing entries go; the kind stays when nothing is gained") {
  Plan plan;
  plan.files.push_back(member("pkg/_x.so", library("_x.so", {"liba.so"})));
  plan.files[0].facts.runpath = "/opt/rocm-7.2.3/lib:$ORIGIN/lib::$ORIGIN/../../..:build/lib";
  plan.files.push_back(member("pkg/lib/liba.so", library("liba.so", {})));
  plan.files[0].edges = {{"liba.so", 1}};
  repair::plan_run_paths(plan, rules());
  REQUIRE(plan.files[0].edit.run_path);
  CHECK(*plan.files[0].edit.run_path == elf::RunPath{elf::RunPathKind::runpath, "$ORIGIN/lib"});
}

TEST_CASE("a run path of which nothing is left is removed") {
  Plan plan;
  plan.files.push_back(member("pkg/_x.so", library("_x.so", {})));
  plan.files[0].facts.rpath = "/home/build/lib";
  repair::plan_run_paths(plan, rules());
  REQUIRE(plan.files[0].edit.run_path);
  CHECK_FALSE(plan.files[0].edit.run_path->has_value());
}

TEST_CASE("unused entries and order alone are no reason for an edit") {
  Plan plan;
  plan.files.push_back(member("pkg/_x.so", library("_x.so", {"liba.so"})));
  plan.files[0].facts.runpath = "$ORIGIN/nothing:$ORIGIN/lib:$ORIGIN/lib";
  plan.files.push_back(member("pkg/lib/liba.so", library("liba.so", {})));
  plan.files[0].edges = {{"liba.so", 1}};
  repair::plan_run_paths(plan, rules());
  CHECK(plan.files[0].edit.empty());
}

TEST_CASE("grafts that need one another get $ORIGIN, leaves get no run path") {
  Plan plan;
  plan.files.push_back(member("pkg/_x.so", library("_x.so", {"liba-1.so"})));
  plan.files.push_back(member("pkg.libs/liba-1.so", library("liba-1.so", {"libb-2.so"})));
  plan.files.push_back(member("pkg.libs/libb-2.so", library("libb-2.so", {})));
  for (std::size_t i = 1; i < 3; ++i) {
    plan.files[i].member.reset();
    plan.files[i].node = i;
    plan.files[i].facts.runpath = "/usr/local/lib";
  }
  plan.files[0].edges = {{"liba-1.so", 1}};
  plan.files[1].edges = {{"libb-2.so", 2}};
  repair::plan_run_paths(plan, rules());
  CHECK(*plan.files[0].edit.run_path ==
        elf::RunPath{elf::RunPathKind::rpath, "$ORIGIN/../pkg.libs"});
  CHECK(*plan.files[1].edit.run_path == elf::RunPath{elf::RunPathKind::rpath, "$ORIGIN"});
  REQUIRE(plan.files[2].edit.run_path);
  CHECK_FALSE(plan.files[2].edit.run_path->has_value());
}

TEST_CASE("profile entries come last, once, and only where they are asked for") {
  Plan plan;
  plan.files.push_back(member("pkg/_x.so", library("_x.so", {"libtorch.so"})));
  plan.files[0].needs_excluded = true;
  plan.files[0].facts.runpath = "/usr/lib:$ORIGIN/../torch/lib";
  plan.files[0].site_entries = {"$ORIGIN/../torch/lib", "$ORIGIN/../nvidia/cu13/lib"};
  plan.files[0].system_entries = {"/opt/rocm/lib"};
  plan.files.push_back(member("pkg/_y.so", library("_y.so", {})));
  repair::plan_run_paths(plan, rules());
  REQUIRE(plan.files[0].edit.run_path);
  CHECK(*plan.files[0].edit.run_path ==
        elf::RunPath{elf::RunPathKind::rpath,
                     "$ORIGIN/../torch/lib:$ORIGIN/../nvidia/cu13/lib:/opt/rocm/lib"});
  CHECK(plan.files[1].edit.empty());

  // The same wish again, on the result, asks for nothing.
  Plan again;
  again.files.push_back(member("pkg/_x.so", library("_x.so", {"libtorch.so"})));
  again.files[0].needs_excluded = true;
  again.files[0].facts.rpath = plan.files[0].edit.run_path->value().value;
  again.files[0].site_entries = plan.files[0].site_entries;
  again.files[0].system_entries = plan.files[0].system_entries;
  repair::plan_run_paths(again, rules());
  CHECK(again.files[0].edit.empty());
}
