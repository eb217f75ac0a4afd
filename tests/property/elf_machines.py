# SPDX-License-Identifier: Apache-2.0
"""Where the property test compiles for and runs: this machine, or another one by Debian's cross compilers and qemu-user."""
import shutil
from dataclasses import dataclass


@dataclass(frozen=True)
class Machine:
    name: str
    triplet: str = ""  # of the cross tools; empty for this machine
    qemu: str = ""
    linkers: tuple = ("bfd", "gold", "lld", "mold")
    ifunc: bool = True
    flags: tuple = ()  # that mark the file by a property note
    takes_gnu_hash: bool = True  # MIPS has a hash table of its own where GNU's is asked for, and lld refuses
    packs_relocations: bool = False  # glibc takes DT_RELR only beside the version that GNU ld adds, on x86 only

    def tool(self, name):
        return f"{self.triplet}-{name}" if self.triplet else name

    def is_here(self):
        return shutil.which(self.tool("g++")) and (not self.qemu or shutil.which(self.qemu))

    def root(self):
        """Where the machine's own / is."""
        return f"/usr/{self.triplet}" if self.triplet else ""

    def has_linker(self, name):
        """lld and mold are one program for all machines; bfd and gold are one a machine."""
        if name not in self.linkers:
            return False
        if name in ("bfd", "gold"):
            return bool(shutil.which(self.tool(f"ld.{name}")))
        return bool(shutil.which(f"ld.{name}") or shutil.which(name))

    def run(self, words, environment):
        """The command that runs a program of that machine, and its environment."""
        if not self.qemu:
            return words, environment
        # qemu hands these on; given to itself they would name libraries of another machine.
        variables = [part for name, value in environment.items() for part in ("-E", f"{name}={value}")]
        return [self.qemu, "-L", self.root(), *variables, *words], {"PATH": environment["PATH"]}


# Linkers that do not know the machine are left out.
MACHINES = {machine.name: machine for machine in [
    Machine("native", flags=("-fcf-protection=full",), packs_relocations=True),
    Machine("aarch64", "aarch64-linux-gnu", "qemu-aarch64", flags=("-mbranch-protection=standard",)),
    Machine("armhf", "arm-linux-gnueabihf", "qemu-arm"),
    Machine("i686", "i686-linux-gnu", "qemu-i386", flags=("-fcf-protection=full",), packs_relocations=True),
    Machine("ppc64le", "powerpc64le-linux-gnu", "qemu-ppc64le"),
    Machine("ppc64", "powerpc64-linux-gnu", "qemu-ppc64", linkers=("bfd", "gold")),
    Machine("s390x", "s390x-linux-gnu", "qemu-s390x", linkers=("bfd", "gold", "mold")),
    Machine("riscv64", "riscv64-linux-gnu", "qemu-riscv64", linkers=("bfd", "lld", "mold")),
    Machine("mips", "mips-linux-gnu", "qemu-mips", linkers=("bfd", "gold", "lld"), ifunc=False,
            takes_gnu_hash=False),
    Machine("mipsel", "mipsel-linux-gnu", "qemu-mipsel", linkers=("bfd", "gold", "lld"), ifunc=False,
            takes_gnu_hash=False),
    Machine("mips64el", "mips64el-linux-gnuabi64", "qemu-mips64el", linkers=("bfd", "gold", "lld"), ifunc=False,
            takes_gnu_hash=False),
    Machine("sparc64", "sparc64-linux-gnu", "qemu-sparc64", linkers=("bfd", "gold")),
]}
NATIVE = MACHINES["native"]
