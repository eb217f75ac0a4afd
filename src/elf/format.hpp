// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// The numbers of the ELF format (gABI, the GNU extensions, processor supplements), as far as they
/// are used here. Own constants instead of <elf.h>, whose macros collide with LIEF's enumerators of
/// the same names.
namespace truewheel::elf {

namespace et {
inline constexpr std::uint16_t kRel = 1, kExec = 2, kDyn = 3, kCore = 4;
}

namespace em {
inline constexpr std::uint16_t kSparc = 2, k386 = 3, kMips = 8, kSparc32Plus = 18, kPpc = 20,
                               kPpc64 = 21, kS390 = 22, kArm = 40, kSparcV9 = 43, kIa64 = 50,
                               kX86_64 = 62, kAarch64 = 183, kRiscv = 243, kLoongArch = 258,
                               kAlpha = 0x9026;
}

namespace osabi {
inline constexpr std::uint8_t kSysv = 0, kGnu = 3;
}

namespace pt {
inline constexpr std::uint32_t kNull = 0, kLoad = 1, kDynamic = 2, kInterp = 3, kNote = 4,
                               kPhdr = 6, kTls = 7, kGnuEhFrame = 0x6474e550,
                               kGnuStack = 0x6474e551, kGnuRelro = 0x6474e552,
                               kGnuProperty = 0x6474e553;
}

namespace pf {
inline constexpr std::uint32_t kExecute = 1, kWrite = 2, kRead = 4;
}

namespace sht {
inline constexpr std::uint32_t kNull = 0, kProgbits = 1, kSymtab = 2, kStrtab = 3, kRela = 4,
                               kHash = 5, kDynamic = 6, kNote = 7, kNobits = 8, kRel = 9,
                               kDynsym = 11, kInitArray = 14, kFiniArray = 15, kPreinitArray = 16,
                               kGroup = 17, kSymtabShndx = 18, kRelr = 19, kGnuHash = 0x6ffffff6,
                               kGnuLiblist = 0x6ffffff7, kGnuVerdef = 0x6ffffffd,
                               kGnuVerneed = 0x6ffffffe, kGnuVersym = 0x6fffffff;
}

namespace shf {
inline constexpr std::uint64_t kWrite = 1, kAlloc = 2, kExecinstr = 4, kInfoLink = 0x40,
                               kTls = 0x400;
}

namespace shn {
inline constexpr std::uint16_t kUndef = 0, kLoReserve = 0xff00, kAbs = 0xfff1, kXindex = 0xffff;
}

/// e_phnum of a file whose real number of program headers is in shdr[0] (E05): loaders do not read
/// it there.
inline constexpr std::uint16_t kPhnumExtended = 0xffff;

namespace dt {
inline constexpr std::int64_t kNull = 0, kNeeded = 1, kPltRelSz = 2, kPltGot = 3, kHash = 4,
                              kStrTab = 5, kSymTab = 6, kRela = 7, kRelaSz = 8, kRelaEnt = 9,
                              kStrSz = 10, kSymEnt = 11, kInit = 12, kFini = 13, kSoname = 14,
                              kRpath = 15, kSymbolic = 16, kRel = 17, kRelSz = 18, kRelEnt = 19,
                              kPltRel = 20, kDebug = 21, kTextRel = 22, kJmpRel = 23, kBindNow = 24,
                              kInitArray = 25, kFiniArray = 26, kInitArraySz = 27,
                              kFiniArraySz = 28, kRunpath = 29, kFlags = 30, kPreinitArray = 32,
                              kPreinitArraySz = 33, kSymtabShndx = 34, kRelrSz = 35, kRelr = 36,
                              kRelrEnt = 37;
inline constexpr std::int64_t kGnuPrelinked = 0x6ffffdf5, kGnuLiblistSz = 0x6ffffdf7,
                              kChecksum = 0x6ffffdf8;
/// Values between these two are addresses, by definition (gABI's and GNU's "ADDRRNG").
inline constexpr std::int64_t kAddressRangeLow = 0x6ffffe00, kAddressRangeHigh = 0x6ffffeff;
inline constexpr std::int64_t kGnuHash = 0x6ffffef5, kTlsDescPlt = 0x6ffffef6,
                              kTlsDescGot = 0x6ffffef7, kGnuConflict = 0x6ffffef8,
                              kGnuLiblist = 0x6ffffef9, kConfig = 0x6ffffefa,
                              kDepAudit = 0x6ffffefb, kAudit = 0x6ffffefc;
inline constexpr std::int64_t kVerSym = 0x6ffffff0, kRelaCount = 0x6ffffff9, kRelCount = 0x6ffffffa,
                              kFlags1 = 0x6ffffffb, kVerDef = 0x6ffffffc, kVerDefNum = 0x6ffffffd,
                              kVerNeed = 0x6ffffffe, kVerNeedNum = 0x6fffffff;
inline constexpr std::int64_t kProcessorLow = 0x70000000, kAuxiliary = 0x7ffffffd,
                              kFilter = 0x7fffffff;
inline constexpr std::int64_t kMipsRldVersion = 0x70000001, kMipsIversion = 0x70000004,
                              kMipsBaseAddress = 0x70000006, kMipsLocalGotno = 0x7000000a,
                              kMipsSymtabno = 0x70000011, kMipsRldMapRel = 0x70000035,
                              kMipsXhash = 0x70000036;
}  // namespace dt

namespace df {
inline constexpr std::uint32_t kOrigin = 1, kSymbolic = 2, kTextRel = 4, kBindNow = 8,
                               kStaticTls = 16;
inline constexpr std::uint32_t kNow1 = 1, kNodeflib1 = 0x800, kPie1 = 0x08000000;
}  // namespace df

namespace ver {
inline constexpr std::uint16_t kLocal = 0, kGlobal = 1, kHidden = 0x8000, kFlagBase = 1,
                               kFlagWeak = 2;
}

namespace nt {
inline constexpr std::uint32_t kGnuAbiTag = 1, kGnuBuildId = 3, kGnuProperty = 5,
                               kPackage = 0xcafe1a7e, kDlopen = 0x407c0c0a;
}

/// Sizes of the structures of one class.
struct Sizes {
  std::uint64_t header, segment, section, symbol, dynamic, word;
};
inline constexpr Sizes kSizes32{52, 32, 40, 16, 8, 4};
inline constexpr Sizes kSizes64{64, 56, 64, 24, 16, 8};
[[nodiscard]] constexpr const Sizes& sizes_of(unsigned bits) {
  return bits == 64 ? kSizes64 : kSizes32;
}

}  // namespace truewheel::elf
