#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What must hold of the repaired Mooncake-like wheel. Judged by using it, and by its bytes.

    fixture_test.py WORK [Tests.test_name]      (WORK: filled by mooncake_like.py prepare)
"""

import json
import re
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

import mooncake_like
from mooncake_like import EXCLUDED, PACKAGE, PLATFORM, PRIVATE, PROGRAMS, SIBLINGS, Work, only_wheel
import wheel_facts

work: Work

UNEDITED = re.compile(rf"{PACKAGE}/(_fast_copy\..*|libasio\.so|libetcd_wrapper\.so)")
# Sections that only program headers and dynamic entries point to, so an edit may move them (docs/
# elf-rewriting.md); all but the first group keep their contents. Every other section is payload.
REWRITTEN = {".dynamic", ".dynstr", ".dynsym", ".gnu.version_r", ".gnu.version_d", ".symtab", ".shstrtab"}
MOVABLE = {".interp", ".note.gnu.property", ".note.gnu.build-id", ".note.ABI-tag", ".gnu.hash", ".hash", ".gnu.version"}


def elf_members(wheel: Path) -> dict[str, bytes]:
    return {name: data for name, data in wheel_facts.members(wheel).items() if wheel_facts.is_elf(data)}


class Tests(unittest.TestCase):
    maxDiff = None

    def test_every_module_imports_and_finds_each_library_without_the_build_tree(self):
        self.assertFalse(work.build.exists())
        work.run_python(mooncake_like.CHECK_MODULES)

    def test_engine_and_store_share_one_copy_of_the_sibling_libasio(self):
        output = work.run_python(f"from {PACKAGE} import engine, store\nengine.count(); engine.count()\nprint(store.count())")
        self.assertEqual(output, "2\n")

    def test_every_program_runs_without_the_build_tree(self):
        for name in PROGRAMS:
            with self.subTest(name):
                self.assertEqual(work.run_program(work.site / PACKAGE / name), f"{name} works\n")

    def test_every_console_script_starts_its_program(self):
        for name, function in PROGRAMS.items():
            with self.subTest(name):
                script = work.venv / "bin" / f"{PACKAGE}_{function}"
                self.assertEqual(work.run_program(script, "--version"), f"{name} 0.1.0\n")

    def test_programs_stay_executable_and_grafts_are_0755(self):
        for name, mode in wheel_facts.modes(work.repaired_wheel).items():
            executable = Path(name).name in PROGRAMS or name.startswith(f"{PACKAGE}.libs/")
            self.assertEqual(mode, 0o755 if executable else 0o644, name)

    def test_the_device_code_of_the_kernel_library_is_unchanged_and_unmoved(self):
        name = "nvlink_allocator.so"
        before = wheel_facts.sections(work.away / "build" / PACKAGE / name)[".hip_fatbin"]
        after = wheel_facts.sections(work.site / PACKAGE / name)[".hip_fatbin"]
        self.assertGreater(len(before.data), 4096)
        self.assertEqual(before, after)

    def test_no_payload_section_of_an_edited_file_moves_or_changes(self):
        for after_path, before_path in work.edited_files().items():
            before, after = wheel_facts.sections(before_path), wheel_facts.sections(after_path)
            payload = [name for name in before if name and name not in REWRITTEN | MOVABLE]
            self.assertIn(".text", payload)
            for name in payload:
                with self.subTest(file=after_path.name, section=name):
                    self.assertTrue(before[name] == after.get(name))
            for name in MOVABLE & before.keys():
                with self.subTest(file=after_path.name, section=name):
                    self.assertTrue(before[name].data == after[name].data)

    def test_the_program_at_fixed_addresses_keeps_its_type(self):
        name = "transfer_engine_bench"
        self.assertEqual(wheel_facts.elf_type(work.away / "build" / PACKAGE / name), 2)
        self.assertEqual(wheel_facts.elf_type(work.site / PACKAGE / name), 2)

    def test_an_elf_file_that_needs_no_edit_is_byte_identical(self):
        before, after = wheel_facts.members(work.input_wheel), wheel_facts.members(work.repaired_wheel)
        names = [name for name in before if UNEDITED.fullmatch(name)]
        self.assertEqual(len(names), 3)
        for name in names:
            self.assertTrue(before[name] == after[name], name)

    def test_a_member_that_was_not_edited_keeps_its_compressed_bytes(self):
        before, after = wheel_facts.members(work.input_wheel), wheel_facts.members(work.repaired_wheel)
        packed_before = wheel_facts.compressed_members(work.input_wheel)
        packed_after = wheel_facts.compressed_members(work.repaired_wheel)
        same = [name for name in before if before[name] == after.get(name)]
        self.assertGreaterEqual(len(same), 6)
        for name in same:
            self.assertTrue(packed_before[name] == packed_after[name], name)

    def test_a_sibling_has_no_second_copy(self):
        for sibling in SIBLINGS:
            stem = sibling.removesuffix(".so")
            copies = [name for name in elf_members(work.repaired_wheel) if Path(name).name.startswith(stem)]
            self.assertEqual(copies, [f"{PACKAGE}/{sibling}"])

    def test_each_private_library_is_grafted_once_under_a_hashed_name(self):
        grafts = [Path(name).name for name in elf_members(work.repaired_wheel) if name.startswith(f"{PACKAGE}.libs/")]
        self.assertEqual(len(grafts), len(PRIVATE))
        for stem, suffix in PRIVATE.items():
            matching = [name for name in grafts if re.fullmatch(rf"{stem}-[0-9a-f]{{8}}{re.escape(suffix)}", name)]
            self.assertEqual(len(matching), 1, f"{stem} among {grafts}")

    def test_file_name_soname_and_needed_entries_of_a_graft_agree(self):
        libs = work.site / f"{PACKAGE}.libs"
        grafts = {path.name for path in libs.iterdir()}
        for name in grafts:
            self.assertEqual(wheel_facts.dynamic(libs / name).soname, name)
        for path in work.edited_files():
            for needed in wheel_facts.dynamic(path).needed:
                if needed.startswith("libmc"):
                    self.assertIn(needed, grafts, path.name)

    def test_excluded_libraries_stay_outside_and_stay_needed(self):
        names = list(wheel_facts.members(work.repaired_wheel))
        needed = {name for path in work.edited_files() for name in wheel_facts.dynamic(path).needed}
        for library in EXCLUDED:
            self.assertFalse([name for name in names if library in name])
            self.assertTrue([name for name in needed if name.startswith(f"{library}.so")], library)

    def test_no_run_path_is_absolute_or_leaves_the_wheel(self):
        for path in [*work.edited_files(), *(work.site / PACKAGE / name for name in SIBLINGS)]:
            for entry in wheel_facts.dynamic(path).run_path:
                with self.subTest(file=path.name, entry=entry):
                    self.assertRegex(entry, r"^\$ORIGIN(/|$)")
                    folder = Path(entry.replace("$ORIGIN", str(path.parent))).resolve()
                    self.assertIn(folder, [work.site / PACKAGE, work.site / f"{PACKAGE}.libs"])

    def test_record_matches_every_member(self):
        self.assertEqual(wheel_facts.record_complaints(work.repaired_wheel), [])

    def test_the_archive_passes_the_checks_of_unzip_and_python(self):
        with zipfile.ZipFile(work.repaired_wheel) as archive:
            self.assertIsNone(archive.testzip())
            names = archive.namelist()
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual(names[-1], f"{PACKAGE}-0.1.0.dist-info/RECORD")

    def test_the_tag_asked_for_is_in_the_file_name_and_in_wheel(self):
        platforms = work.repaired_wheel.stem.rsplit("-", 1)[1].split(".")
        self.assertIn(PLATFORM, platforms)
        self.assertFalse([name for name in platforms if name.startswith("linux_")])
        text = wheel_facts.members(work.repaired_wheel)[f"{PACKAGE}-0.1.0.dist-info/WHEEL"].decode()
        tags = {line.rsplit("-", 1)[1] for line in text.splitlines() if line.startswith("Tag: ")}
        self.assertEqual(tags, set(platforms))

    def test_repairing_the_repaired_wheel_changes_no_byte(self):
        self.assertEqual(work.outcome("again")["exit"], 0, work.outcome("again")["stderr"])
        again = only_wheel(work.folder / "again")
        self.assertEqual(again.name, work.repaired_wheel.name)
        before, after = elf_members(work.repaired_wheel), elf_members(again)
        self.assertEqual([name for name in {**before, **after} if before.get(name) != after.get(name)], [])
        self.assertTrue(again.read_bytes() == work.repaired_wheel.read_bytes())

    def test_another_folder_umask_time_zone_and_processor_count_give_the_same_bytes(self):
        self.assertEqual(work.outcome("elsewhere")["exit"], 0, work.outcome("elsewhere")["stderr"])
        elsewhere = only_wheel(work.folder / "elsewhere")
        self.assertEqual(elsewhere.name, work.repaired_wheel.name)
        self.assertTrue(elsewhere.read_bytes() == work.repaired_wheel.read_bytes())

    def test_search_options_find_what_the_environment_variable_finds(self):
        self.assertEqual(work.outcome("searched")["exit"], 0, work.outcome("searched")["stderr"])
        searched = only_wheel(work.folder / "searched")
        self.assertTrue(searched.read_bytes() == work.repaired_wheel.read_bytes())

    def test_the_gate_says_of_the_demos_wheel_what_readme_says(self):
        def found(name: str) -> set[str]:
            (subject,) = json.loads(work.outcome(name)["stdout"])["subjects"]
            return {finding["rule"] for finding in subject["findings"]}
        self.assertEqual(work.outcome("checked")["exit"], 0, work.outcome("checked")["stderr"])
        self.assertEqual(found("checked"), {"R007", "E002"})
        self.assertEqual(found("checked_driverless"), {"R007", "E002", "G004"})
        readme = (Path(__file__).parents[2] / "README.md").read_text()
        for rule in ("R007", "E002", "G004"):
            self.assertIn(rule, readme)

    def test_a_dry_run_tells_the_plan_and_writes_nothing(self):
        outcome = work.outcome("dry_run")
        self.assertEqual(outcome["exit"], 0, outcome["stderr"])
        self.assertFalse((work.folder / "dry_run").exists())
        for word in ("engine.so", "libmclog", "libmcunwind", "libamdhip64"):
            self.assertIn(word, outcome["stdout"])

    def test_the_input_wheel_is_never_written(self):
        self.assertTrue(work.outcome("input")["unchanged"])

    def test_profiles_exclude_what_the_patterns_excluded_and_the_result_runs(self):
        self.assertEqual(work.outcome("profiled")["exit"], 0, work.outcome("profiled")["stderr"])
        wheel = only_wheel(work.folder / "profiled")
        self.assertEqual(sorted(elf_members(wheel)), sorted(elf_members(work.repaired_wheel)))
        self.assertEqual(wheel_facts.record_complaints(wheel), [])
        self.unpack_and_use(wheel)

    def test_a_stripped_repair_is_smaller_and_runs(self):
        self.assertEqual(work.outcome("stripped")["exit"], 0, work.outcome("stripped")["stderr"])
        wheel = only_wheel(work.folder / "stripped")
        self.assertLess(wheel.stat().st_size, work.repaired_wheel.stat().st_size * 3 // 4)
        self.assertEqual(wheel_facts.record_complaints(wheel), [])
        self.unpack_and_use(wheel)

    def unpack_and_use(self, wheel: Path) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            site = Path(scratch)
            wheel_facts.unpack(wheel, site)
            work.use_everything(site)


if __name__ == "__main__":
    work = Work(Path(sys.argv.pop(1)).absolute())
    unittest.main()
