// SPDX-License-Identifier: Apache-2.0
#include "repair/package_owner.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>

namespace {

namespace fs = std::filesystem;
using truewheel::repair::find_package_owners;
using truewheel::repair::package_url;
using truewheel::repair::PackageOwner;

/// A system's root with nothing but what a test writes into it.
class Root {
 public:
  Root() {
    std::string name = (fs::temp_directory_path() / "truewheel-owner-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = fs::canonical(name);
    write("etc/os-release", "PRETTY_NAME=\"Some\"\nID=\"some\"\nVERSION_ID=1\n");
  }
  ~Root() { fs::remove_all(path_); }
  Root(const Root&) = delete;
  Root& operator=(const Root&) = delete;

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
  }
  [[nodiscard]] const fs::path& path() const { return path_; }
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

}  // namespace

TEST_CASE("dpkg's lists tell the package, its status tells the version of that architecture") {
  const Root root;
  root.write("var/lib/dpkg/info/libfoo1:amd64.list", "/.\n/usr\n/usr/lib/libfoo.so.1\n");
  root.write("var/lib/dpkg/info/tool.list", "/usr/bin/tool\n");
  root.write("var/lib/dpkg/status",
             "Package: libfoo1\nArchitecture: i386\nVersion: 9\n\n"
             "Package: libfoo1\nArchitecture: amd64\nVersion: 1:2.0+x\nDescription: a\n Version: "
             "7\n\nPackage: tool\nArchitecture: all\nVersion: 3\n");
  const auto owners =
      find_package_owners({root.file("usr/lib/libfoo.so.1"), root.file("usr/bin/tool"),
                           root.file("usr/lib/libnone.so"), "/usr/lib/libfoo.so.1"},
                          root.path());
  REQUIRE(owners.size() == 2);
  CHECK(
      owners.at(root.file("usr/lib/libfoo.so.1")) ==
      PackageOwner{
          "deb", "some", "libfoo1", "1:2.0+x", "amd64", "", {"/usr/share/doc/libfoo1/copyright"}});
  CHECK(owners.at(root.file("usr/bin/tool")) ==
        PackageOwner{"deb", "some", "tool", "3", "all", "", {"/usr/share/doc/tool/copyright"}});
}

TEST_CASE("a package is found whatever its name has in common with the library's") {
  const Root root;
  root.write("var/lib/dpkg/info/libfoo-bar1:amd64.list", "/usr/lib/libFoo_bar.so.1\n");
  root.write("var/lib/dpkg/info/libextra:amd64.list", "/usr/lib/other.so\n");
  root.write("var/lib/dpkg/info/vendor.list", "/opt/vendor/libv.so\n");
  std::string status;
  for (const std::string package : {"libfoo-bar1", "libextra", "vendor"}) {
    status += "Package: " + package + "\nArchitecture: amd64\nVersion: 1\n\n";
  }
  root.write("var/lib/dpkg/status", status);
  const auto owners =
      find_package_owners({root.file("usr/lib/libFoo_bar.so.1"), root.file("usr/lib/other.so"),
                           root.file("opt/vendor/libv.so")},
                          root.path());
  REQUIRE(owners.size() == 3);
  CHECK(owners.at(root.file("usr/lib/libFoo_bar.so.1")).name == "libfoo-bar1");
  CHECK(owners.at(root.file("usr/lib/other.so")).name == "libextra");
  CHECK(owners.at(root.file("opt/vendor/libv.so")).name == "vendor");
}

TEST_CASE("a list that a package left behind hides no owner, wherever it sorts") {
  for (const std::string stale : {"libdep1:amd64", "aaa"}) {
    const Root root;
    root.write("var/lib/dpkg/info/" + stale + ".list", "/usr/lib/libdep.so\n");
    root.write("var/lib/dpkg/info/libdep1t64:amd64.list", "/usr/lib/libdep.so\n");
    root.write("var/lib/dpkg/info/bbb.list", "/usr/lib/libdep.so\n");
    root.write(
        "var/lib/dpkg/status",
        "Package: libdep1\nStatus: deinstall ok config-files\nArchitecture: amd64\n"
        "Version: 1\n\nPackage: libdep1t64\nStatus: install ok installed\n"
        "Architecture: amd64\nVersion: 2\n\nPackage: bbb\nArchitecture: amd64\nVersion: 3\n");
    const auto owners = find_package_owners({root.file("usr/lib/libdep.so")}, root.path());
    REQUIRE(owners.size() == 1);
    CHECK(owners.begin()->second.name == "libdep1t64");
  }
}

TEST_CASE("a package that waits for its configuration or a trigger owns its files") {
  for (const std::string state :
       {"unpacked", "half-configured", "triggers-awaited", "triggers-pending", "installed"}) {
    const Root root;
    root.write("var/lib/dpkg/info/libdep1:amd64.list", "/usr/lib/libdep.so\n");
    root.write("var/lib/dpkg/status", "Package: libdep1\nStatus: install ok " + state +
                                          "\nArchitecture: amd64\nVersion: 1\n");
    CHECK(find_package_owners({root.file("usr/lib/libdep.so")}, root.path()).size() == 1);
  }
}

TEST_CASE("links of a system's root lead within it") {
  const Root root;
  root.write("usr/lib/os-release", "ID=other\n");
  fs::create_directories(root.path() / "etc");
  fs::remove(root.path() / "etc/os-release");
  fs::create_symlink("/usr/lib/os-release", root.path() / "etc/os-release");
  root.write("srv/dpkg/info/libdep1:amd64.list", "/usr/lib/libdep.so\n");
  root.write("srv/dpkg/status", "Package: libdep1\nArchitecture: amd64\nVersion: 1\n");
  fs::create_directories(root.path() / "var/lib");
  fs::create_symlink("/srv/dpkg", root.path() / "var/lib/dpkg");
  const auto owners = find_package_owners({root.file("usr/lib/libdep.so")}, root.path());
  REQUIRE(owners.size() == 1);
  CHECK(owners.begin()->second.distribution == "other");
  // One that leads to nothing there leads to nothing, even where this machine has the file.
  fs::remove(root.path() / "usr/lib/os-release");
  const auto nameless = find_package_owners({root.file("usr/lib/libdep.so")}, root.path());
  REQUIRE(nameless.size() == 1);
  CHECK(nameless.begin()->second.distribution.empty());
}

TEST_CASE("databases that are pipes, endless lines or without names tell nothing") {
  const Root root;
  root.write("var/lib/dpkg/info/libdep1:amd64.list", "/usr/lib/libdep.so\n");
  root.write("var/lib/dpkg/info/:amd64.list", "/usr/lib/libdep.so\n");
  root.write("var/lib/dpkg/status", "Package: \nArchitecture: amd64\nVersion: 7\n\n" +
                                        std::string(std::size_t{3} << 20U, 'x') +
                                        "\nPackage: libdep1\nArchitecture: amd64\nVersion: 1\n");
  REQUIRE(::mkfifo(root.file("var/lib/dpkg/info/libdep2.list").c_str(), 0600) == 0);
  fs::create_directories(root.path() / "var/lib/rpm");
  REQUIRE(::mkfifo(root.file("var/lib/rpm/rpmdb.sqlite").c_str(), 0600) == 0);
  REQUIRE(::mkfifo(root.file("var/lib/rpm/Packages").c_str(), 0600) == 0);
  const auto owners = find_package_owners({root.file("usr/lib/libdep.so")}, root.path());
  REQUIRE(owners.size() == 1);
  CHECK(owners.begin()->second.name == "libdep1");
}

TEST_CASE("a list from before /usr was merged names the same file") {
  const Root root;
  root.write("var/lib/dpkg/info/zlib1g:amd64.list", "/lib/x86_64-linux-gnu/libz.so.1\n");
  root.write("var/lib/dpkg/status", "Package: zlib1g\nArchitecture: amd64\nVersion: 1\n");
  const auto file = root.file("usr/lib/x86_64-linux-gnu/libz.so.1");
  CHECK(find_package_owners({file}, root.path()).at(file).name == "zlib1g");
}

TEST_CASE("what is left of a removed package does not hide the one that owns a file") {
  for (const std::string removed : {"",
                                    "Package: libdep1\nStatus: deinstall ok "
                                    "config-files\nArchitecture: amd64\nVersion: 1\n\n"}) {
    const Root root;
    root.write("var/lib/dpkg/info/libdep1:amd64.list", "/usr/lib/libdep.so\n");
    root.write("var/lib/dpkg/info/deptool.list", "/usr/lib/libdep.so\n");
    root.write(
        "var/lib/dpkg/status",
        removed +
            "Package: deptool\nStatus: install ok installed\nArchitecture: amd64\nVersion: 2\n");
    const auto owners = find_package_owners({root.file("usr/lib/libdep.so")}, root.path(), 2);
    REQUIRE(owners.size() == 1);
    CHECK(owners.begin()->second.name == "deptool");
    CHECK(owners.begin()->second.version == "2");
  }
}

TEST_CASE("a package that dpkg's status does not know owns nothing") {
  const Root root;
  root.write("var/lib/dpkg/info/gone:amd64.list", "/usr/lib/libgone.so.1\n");
  root.write("var/lib/dpkg/status", "Package: other\nArchitecture: amd64\nVersion: 1\n");
  CHECK(find_package_owners({root.file("usr/lib/libgone.so.1")}, root.path()).empty());
}

TEST_CASE("a diverted file belongs to the package that lists its first name") {
  const Root root;
  root.write("var/lib/dpkg/info/libgl1:amd64.list", "/usr/lib/libGL.so.1\n");
  root.write("var/lib/dpkg/info/driver.list", "/usr/lib/libGL.so.1\n");
  root.write("var/lib/dpkg/status",
             "Package: libgl1\nArchitecture: amd64\nVersion: 1\n\n"
             "Package: driver\nArchitecture: all\nVersion: 2\n");
  root.write("var/lib/dpkg/diversions", "/usr/lib/libGL.so.1\n/usr/lib/mesa/libGL.so.1\ndriver\n");
  const auto owners = find_package_owners(
      {root.file("usr/lib/libGL.so.1"), root.file("usr/lib/mesa/libGL.so.1")}, root.path());
  REQUIRE(owners.size() == 2);
  CHECK(owners.at(root.file("usr/lib/libGL.so.1")).name == "driver");
  CHECK(owners.at(root.file("usr/lib/mesa/libGL.so.1")).name == "libgl1");
}

TEST_CASE("an image without dpkg tells by its folder of stanzas") {
  const Root root;
  root.write("var/lib/dpkg/status.d/libssl3",
             "Package: libssl3\nVersion: 3.0-1\nArchitecture: amd64\n");
  root.write("var/lib/dpkg/status.d/libssl3.md5sums",
             "0123456789abcdef0123456789abcdef  usr/lib/libssl.so.3\n");
  const auto file = root.file("usr/lib/libssl.so.3");
  const auto owners = find_package_owners({file}, root.path());
  REQUIRE(owners.size() == 1);
  CHECK(owners.at(file).name == "libssl3");
  CHECK(owners.at(file).version == "3.0-1");
}

TEST_CASE("apk's one database tells all of it") {
  const Root root;
  root.write("lib/apk/db/installed",
             "C:Q1x\nP:zlib\nV:1.3.1-r2\nA:x86_64\nL:Zlib\nF:lib\nR:libz.so.1.3.1\nZ:Q1y\n"
             "F:usr/share/licenses/zlib\nR:LICENSE\n\n"
             "P:foo\nV:2-r0\nA:x86_64\nF:usr/lib\nR:libfoo.so.2\n");
  const auto owners = find_package_owners(
      {root.file("lib/libz.so.1.3.1"), root.file("usr/lib/libfoo.so.2")}, root.path());
  REQUIRE(owners.size() == 2);
  CHECK(owners.at(root.file("lib/libz.so.1.3.1")) ==
        PackageOwner{"apk",
                     "some",
                     "zlib",
                     "1.3.1-r2",
                     "x86_64",
                     "Zlib",
                     {"/usr/share/licenses/zlib/LICENSE"}});
  CHECK(owners.at(root.file("usr/lib/libfoo.so.2")).name == "foo");
}

TEST_CASE("package URLs escape what their grammar needs") {
  CHECK(package_url({"deb", "debian", "libstdc++6", "12.2.0-14+deb12u1", "amd64"}) ==
        "pkg:deb/debian/libstdc%2B%2B6@12.2.0-14%2Bdeb12u1?arch=amd64");
  CHECK(package_url({"rpm", "fedora", "curl", "2:7.50~rc1-1.fc25", "x86_64"}) ==
        "pkg:rpm/fedora/curl@7.50~rc1-1.fc25?arch=x86_64&epoch=2");
  CHECK(package_url({"deb", "", "a/b@c?d#e", "1:2", ""}) == "pkg:deb/a%2Fb%40c%3Fd%23e@1:2");
}
