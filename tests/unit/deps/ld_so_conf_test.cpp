// SPDX-License-Identifier: Apache-2.0
#include "deps/ld_so_conf.hpp"

#include "unit/deps/scratch.hpp"

using namespace truewheel::deps;
using testing::Scratch;

using Folders = std::vector<std::string>;

TEST_CASE("ld.so.conf is read with comments, includes in sorted order and hwcap lines ignored") {
  const Scratch root;
  root.write("etc/ld.so.conf",
             "# a comment\n"
             "/first/  # and one behind\n"
             "include ld.so.conf.d/*.conf\t/etc/other.conf\n"
             "  hwcap 0 nosegneg\n"
             "\n"
             "/last=libc6\n"
             "relative/folder\n"
             "/first\n");
  root.write("etc/ld.so.conf.d/b.conf", "/b\n");
  root.write("etc/ld.so.conf.d/a.conf", "/a\r\n");
  root.write("etc/ld.so.conf.d/.hidden.conf", "/hidden\n");
  root.write("etc/ld.so.conf.d/not.txt", "/not\n");
  root.write("etc/other.conf", "/other");
  CHECK(ld_so_conf_folders(Sysroot(root.path())) ==
        Folders{"/first", "/a", "/b", "/other", "/last"});
}

TEST_CASE("a missing ld.so.conf names nothing, and one that includes itself ends") {
  const Scratch root;
  CHECK(ld_so_conf_folders(Sysroot(root.path())).empty());
  root.write("etc/ld.so.conf", "include /etc/*.conf\n/a\ninclude /etc/ld.so.conf\n");
  CHECK(ld_so_conf_folders(Sysroot(root.path())) == Folders{"/a"});
}

TEST_CASE("included files are found below the sysroot, through its own absolute links") {
  const Scratch root;
  root.write("etc/ld.so.conf", "include /etc/conf/*.conf\n");
  root.write("real/x.conf", "/x\n");
  root.link("etc/conf", "/real");
  CHECK(ld_so_conf_folders(Sysroot(root.path())) == Folders{"/x"});
}

TEST_CASE("musl's folders come from its path file or are built in") {
  const Scratch root;
  CHECK(musl_folders(Sysroot(root.path()), "x86_64") ==
        Folders{"/lib", "/usr/local/lib", "/usr/lib"});
  root.write("etc/ld-musl-x86_64.path", "/a:/b\n/c\n");
  CHECK(musl_folders(Sysroot(root.path()), "x86_64") == Folders{"/a", "/b", "/c"});
  CHECK(musl_folders(Sysroot(root.path()), "aarch64").size() == 3);
}

TEST_CASE("links of a sysroot are followed within it and never out of it") {
  const Scratch scratch;
  scratch.write("root/usr/lib/libx.so.1.2", "x");
  scratch.link("root/usr/lib/libx.so.1", "/usr/lib/libx.so.1.2");
  scratch.link("root/lib", "usr/lib");
  scratch.link("root/out", "../../../../../../usr/lib/libx.so.1.2");
  scratch.link("root/loop", "loop");
  const Sysroot sysroot(scratch.at("root"));
  const std::string file = scratch.at("root/usr/lib/libx.so.1.2");
  CHECK(sysroot.real_path(scratch.at("root/lib/libx.so.1")) == file);
  CHECK(sysroot.real_path(scratch.at("root/out")) == file);
  CHECK_FALSE(sysroot.real_path(scratch.at("root/loop")));
  CHECK_FALSE(sysroot.real_path(scratch.at("root/gone")));
  CHECK(sysroot.inside("/usr/lib") == scratch.at("root/usr/lib"));
  CHECK(sysroot.inside(scratch.at("root/usr")) == scratch.at("root/usr"));
  CHECK_FALSE(sysroot.is_below(scratch.at("root2")));
}

TEST_CASE("without a sysroot paths are the machine's own") {
  const Scratch scratch;
  scratch.write("a/file", "x");
  scratch.link("b", scratch.at("a"));
  for (const char* root : {"", "/"}) {
    const Sysroot sysroot((std::filesystem::path(root)));
    CHECK(sysroot.inside("/usr/lib") == "/usr/lib");
    CHECK(sysroot.real_path(scratch.at("b/../b/file")) == scratch.at("a/file"));
  }
}
