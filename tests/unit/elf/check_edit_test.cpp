// SPDX-License-Identifier: Apache-2.0
#include "edit_support.hpp"

#include <algorithm>
#include <functional>

namespace truewheel::elf::test {
namespace {

const char* const kSource =
    "int data = 5; __thread int tls = 3; int other(void) { return 2; }\n"
    "int run(void) { return data + tls + other(); }\n";

std::uint64_t segment_entry(const Buffer& file, std::uint32_t type) {
  const ElfImage image(file);
  for (std::size_t i = 0; i < image.segments().size(); ++i) {
    if (image.segments()[i].type == type) return image.header().phoff + 56 * i;
  }
  FAIL("no such segment");
  return 0;
}

struct Damage {
  const char* name;
  std::function<void(Buffer&)> apply;
  const char* complaint;
};

/// Field offsets of a 64-bit program header.
constexpr std::uint64_t kFlags = 4, kOffset = 8, kVaddr = 16;

TEST_CASE("check_edit finds what an edit must not do") {
  const Buffer library =
      build(kSource, "-shared -fPIC -fuse-ld=lld -Wl,-soname,libx.so -Wl,-z,now");
  ElfEdit wishes = set_rpath("/opt/" + std::string(200, 'r'));
  wishes.soname = "liby.so";
  const PatchList patches = plan_edit(library, wishes);
  const Buffer good = elf::apply(library, patches);
  REQUIRE(check_edit(library, good, wishes, patches).empty());

  const std::vector<Damage> damages = {
      {"a byte of code",
       [](Buffer& file) {
         const ElfImage image(file);
         for (const Segment& segment : image.segments()) {
           if ((segment.flags & pf::kExecute) == 0 || segment.type != pt::kLoad) continue;
           file[static_cast<std::size_t>(segment.offset) + 20] ^= 1;
           return;
         }
       },
       "I14"},
      {"the entry point", [](Buffer& file) { poke(file, 24, std::uint64_t{0x40}); }, "ELF header"},
      {"PT_TLS",
       [](Buffer& file) {
         poke(file, segment_entry(file, pt::kTls) + kVaddr, std::uint64_t{0x7000});
       },
       "I9, I10"},
      {"PT_GNU_RELRO",
       [](Buffer& file) {
         poke(file, segment_entry(file, pt::kGnuRelro) + 40, std::uint64_t{0x10});
       },
       "I9, I10"},
      {"the stack's flags",
       [](Buffer& file) {
         poke(file, segment_entry(file, pt::kGnuStack) + kFlags, std::uint32_t{7});
       },
       "I9, I10"},
      {"a LOAD's flags",
       [](Buffer& file) { poke(file, segment_entry(file, pt::kLoad) + kFlags, std::uint32_t{7}); },
       "I11"},
      {"a symbol's name",
       [](Buffer& file) { poke(file, table_offset(file, dt::kSymTab) + 24, std::uint32_t{0}); },
       "I13"},
      {"a symbol's version",
       [](Buffer& file) { poke(file, table_offset(file, dt::kVerSym) + 2, std::uint16_t{9}); },
       "I13"},
      {"a hash table",
       [](Buffer& file) { poke(file, table_offset(file, dt::kGnuHash) + 12, std::uint32_t{3}); },
       "I13"},
      {"the run path",
       [](Buffer& file) {
         poke(file, dynamic_value_offset(file, dt::kRpath),
              ElfImage(file).dynamic_value(dt::kSoname).value());
       },
       "run path"},
      {"another tag",
       [](Buffer& file) { poke(file, dynamic_value_offset(file, dt::kFlags1), std::uint64_t{0}); },
       "not about"},
      {"DT_STRSZ, more than the section",
       [](Buffer& file) {
         const ElfImage image(file);
         for (std::size_t i = 0; i < image.sections().size(); ++i) {
           if (image.sections()[i].addr == image.dynamic_value(dt::kStrTab))
             poke(file, image.header().shoff + 64 * i + 32, image.dynstr_size() - 1);
         }
       },
       "I12"},
      // Nobody tells whose the rest of the section is, and no section header is believed.
      {"DT_STRSZ, less than the section",
       [](Buffer& file) {
         poke(file, dynamic_value_offset(file, dt::kStrSz), ElfImage(file).dynstr_size() - 1);
       },
       "section headers"},
      {"a section that is elsewhere",
       [](Buffer& file) {
         const ElfImage image(file);
         for (std::size_t i = 0; i < image.sections().size(); ++i) {
           if (image.sections()[i].type == sht::kDynsym)
             poke(file, image.header().shoff + 64 * i + 16, std::uint64_t{8});
         }
       },
       "section"},
      {"the end of the file", [](Buffer& file) { file.resize(file.size() - 400); },
       "cannot be read"},
  };
  for (const Damage& damage : damages) {
    Buffer bad = good;
    damage.apply(bad);
    const auto complaints = check_edit(library, bad, wishes, patches);
    INFO(damage.name);
    std::string all;
    for (const std::string& complaint : complaints) all += complaint + "\n";
    INFO(all);
    CHECK(all.find(damage.complaint) != std::string::npos);
  }
}

TEST_CASE("check_edit does not blame an edit for what the input was like") {
  // PT_GNU_EH_FRAME with a wrong offset: loaders do not mind.
  Buffer library = build(kSource, "-shared -fPIC");
  poke(library, segment_entry(library, pt::kGnuEhFrame) + kOffset, std::uint64_t{0x10});
  const ElfEdit wishes = set_rpath("/opt/" + std::string(200, 'r'));
  const PatchList patches = plan_edit(library, wishes);
  CHECK(check_edit(library, elf::apply(library, patches), wishes, patches).empty());
}

TEST_CASE("check_edit finds a wish that was not granted") {
  const Buffer library = build(kSource, "-shared -fPIC -Wl,-soname,libx.so -Wl,--no-as-needed -lm");
  PatchList nothing;
  nothing.keep = library.size();
  ElfEdit wishes;
  wishes.soname = "liby.so";
  CHECK(check_edit(library, library, wishes, nothing) ==
        std::vector<std::string>{"DT_SONAME is not as wished"});
  wishes = {};
  wishes.remove_needed = {"libm.so.6"};
  CHECK_FALSE(check_edit(library, library, wishes, nothing).empty());
  CHECK(check_edit(library, library, {}, nothing).empty());
}

}  // namespace
}  // namespace truewheel::elf::test
