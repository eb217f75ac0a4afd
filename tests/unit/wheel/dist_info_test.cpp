// SPDX-License-Identifier: Apache-2.0
#include <truewheel/error.hpp>
#include <truewheel/wheel.hpp>

#include <doctest/doctest.h>

namespace truewheel::wheel {
namespace {

std::vector<Member> members_named(const std::vector<std::string>& names) {
  std::vector<Member> members;
  for (const auto& name : names) members.push_back({.name = name});
  return members;
}

// The folder, or the id of the refusal.
std::string dist_info_of(const std::vector<std::string>& names,
                         std::string_view file_name = "Foo_Bar-1.0+cu13-py3-none-any.whl") {
  try {
    return find_dist_info(members_named(names), parse_wheel_name(file_name));
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::refused);
    return error.id();
  }
}

}  // namespace

TEST_CASE("find_dist_info takes the folder of the file name, however it is spelled") {
  for (const char* folder :
       {"Foo_Bar-1.0+cu13.dist-info", "foo_bar-1.0+cu13.dist-info", "foo.bar-1.0.0+cu13.dist-info",
        "foo-bar-1.0+CU13.dist-info", "FOO__BAR-v1+cu13.dist-info"}) {
    CAPTURE(folder);
    CHECK(dist_info_of({"foo/a.py", std::string(folder) + "/RECORD"}) == folder);
  }
  CHECK(dist_info_of({"p-1.0.post2.dist-info/RECORD"}, "p-1.0_2-py3-none-any.whl") ==
        "p-1.0.post2.dist-info");
}

TEST_CASE("find_dist_info refuses none, several and another one's") {
  CHECK(dist_info_of({"foo/a.py"}) == "dist-info-missing");
  CHECK(dist_info_of({"foo_bar-1.0+cu13.dist-info"}) == "dist-info-missing");
  CHECK(dist_info_of({"foo_bar-1.0+cu13.dist-info/RECORD", "other-2.dist-info/RECORD"}) ==
        "dist-info-several");
  CHECK(dist_info_of({"foo_bar-1.0+cu13.dist-info/RECORD", "Foo_Bar-1.0+cu13.dist-info/WHEEL"}) ==
        "dist-info-several");
  CHECK(dist_info_of({"other-1.0+cu13.dist-info/RECORD"}) == "dist-info-mismatch");
  CHECK(dist_info_of({"foo_bar-1.0.dist-info/RECORD"}) == "dist-info-mismatch");
  CHECK(dist_info_of({"foo_bar-1.1+cu13.dist-info/RECORD"}) == "dist-info-mismatch");
  CHECK(dist_info_of({"foo_bar.dist-info/RECORD"}) == "dist-info-mismatch");
  CHECK(dist_info_of({".dist-info/RECORD"}) == "dist-info-mismatch");
}

TEST_CASE("find_dist_info passes over dist-info folders that are not at the root") {
  CHECK(dist_info_of({"pkg/_vendor/other-2.dist-info/RECORD",
                      "foo_bar-1.0+cu13.dist-info/RECORD"}) == "foo_bar-1.0+cu13.dist-info");
}

TEST_CASE("a data folder at the root must be spelled as the dist-info folder is") {
  CHECK(dist_info_of({"foo_bar-1.0+cu13.dist-info/RECORD", "foo_bar-1.0+cu13.data/scripts/x"}) ==
        "foo_bar-1.0+cu13.dist-info");
  CHECK(dist_info_of({"foo_bar-1.0+cu13.dist-info/RECORD", "Foo_Bar-1.0+cu13.data/scripts/x"}) ==
        "dist-info-data");
  CHECK(dist_info_of({"foo_bar-1.0+cu13.dist-info/RECORD", "other.data/scripts/x"}) ==
        "dist-info-data");
  CHECK(dist_info_of({"foo_bar-1.0+cu13.dist-info/RECORD", "pkg/other.data/scripts/x"}) ==
        "foo_bar-1.0+cu13.dist-info");
}

TEST_CASE("installed_path puts members where an installer does") {
  using Scheme = InstalledPath::Scheme;
  const auto at = [](std::string_view name) { return installed_path(name, "p-1.dist-info"); };
  const auto check = [&](std::string_view name, Scheme scheme, std::string_view path) {
    CAPTURE(name);
    CHECK(at(name).scheme == scheme);
    CHECK(at(name).path == path);
  };
  check("pkg/_x.so", Scheme::root, "pkg/_x.so");
  check("p-1.data/platlib/pkg/_x.so", Scheme::root, "pkg/_x.so");
  check("p-1.data/purelib/pkg/x.py", Scheme::purelib, "pkg/x.py");
  check("p-1.data/scripts/tool", Scheme::scripts, "tool");
  check("p-1.data/data/lib/x.so", Scheme::data, "lib/x.so");
  check("p-1.data/headers/x.h", Scheme::headers, "x.h");
  check("p-1.data/unknown/x", Scheme::root, "p-1.data/unknown/x");
  check("p-1.data/file", Scheme::root, "p-1.data/file");
  check("p-2.data/scripts/tool", Scheme::root, "p-2.data/scripts/tool");
  check("pkg/p-1.data/scripts/tool", Scheme::root, "pkg/p-1.data/scripts/tool");
  check("p-1.dist-info/RECORD", Scheme::root, "p-1.dist-info/RECORD");
}

TEST_CASE(
    "layout_notes names keys that installers do not know and files that replace the interpreter") {
  const auto notes_for = [](std::string_view name) {
    return layout_notes(members_named({std::string(name)}), "p-1.dist-info", "").size();
  };
  for (const char* name :
       {"p-1.data/unknown/x", "p-1.data/file", "p-1.data/scripts/python",
        "p-1.data/scripts/python3", "p-1.data/scripts/python3.13t", "p-1.data/scripts/pythonw.exe",
        "p-1.data/data/bin/python3.11", "p-1.data/data/Scripts/python.exe"}) {
    CAPTURE(name);
    CHECK(notes_for(name) == 1);
  }
  for (const char* name :
       {"p-1.data/scripts/tool", "p-1.data/scripts/python-config", "p-1.data/scripts/pythonx",
        "p-1.data/scripts/python3.", "p-1.data/data/share/python", "p-1.data/platlib/python",
        "pkg/p-1.data/scripts/python", "pkg/python"}) {
    CAPTURE(name);
    CHECK(notes_for(name) == 0);
  }
}

TEST_CASE("a file at the root that is named as a .dist-info folder counts as one, as pip counts") {
  CHECK(dist_info_of({"foo_bar-1.0+cu13.dist-info/RECORD", "x-1.dist-info"}) ==
        "dist-info-several");
  CHECK(dist_info_of({"x.dist-info"}) == "dist-info-missing");
}

TEST_CASE("layout_notes tells as many as somebody reads, and how many there are besides") {
  std::string text = "[console_scripts]\n";
  for (int i = 0; i < 60; ++i) text += "a/" + std::to_string(i) + " = pkg:main\n";
  const auto notes = layout_notes({}, "p-1.dist-info", text);
  REQUIRE(notes.size() == 50);
  CHECK(notes.back().sentence.find("and 10 notes") != std::string::npos);
}

TEST_CASE("layout_notes names entry points that are paths") {
  const auto notes_for = [](std::string_view text) {
    return layout_notes({}, "p-1.dist-info", text).size();
  };
  CHECK(notes_for("[console_scripts]\ntool = pkg:main\n") == 0);
  CHECK(notes_for("[console_scripts]\n../tool = pkg:main\r\nsub/tool=pkg:main\n") == 2);
  CHECK(notes_for("[gui_scripts]\n a\\b = pkg:main\n.. = pkg:main\n# x/y = z\n") == 2);
  CHECK(notes_for("[pkg.plugins]\na/b = pkg:main\n") == 0);
  CHECK(notes_for("") == 0);
}

}  // namespace truewheel::wheel
