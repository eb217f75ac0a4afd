#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes every report of `truewheel check` and reads each with somebody else's reader.

    reports_test.py TRUEWHEEL [FORMAT...]

SARIF with the pydantic model of the standard, JUnit with junitparser, HTML in a headless Chromium. A format
whose reader cannot be had (no network, no browser) is skipped; exit 77 if all of them are.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
import pack_wheel  # noqa: E402

HOSTILE = "odd <b>&'\"|`name.so"


def broken_wheel(folder: Path) -> Path:
    """A wheel with a library that is there but not found, one that is nowhere, an absolute run path, and a
    name that every format must escape."""
    tree = folder / "tree"
    for package in ("demo", "demo/lib"):
        (tree / package).mkdir(parents=True, exist_ok=True)

    def library(path: Path, source: str, *flags: str) -> None:
        subprocess.run(["gcc", "-shared", "-fPIC", "-x", "c", "-", "-x", "none", "-o", str(path), *flags],
                       input=source.encode(), check=True)

    inner = tree / "demo/lib/libinner.so.1"
    gone = folder / "libgone.so.1"
    library(inner, "int inner(void) { return 1; }", "-Wl,-soname,libinner.so.1")
    library(gone, "int gone(void) { return 1; }", "-Wl,-soname,libgone.so.1")
    library(tree / "demo/_good.so", "int inner(void); int g(void) { return inner(); }", str(inner), "-Wl,-rpath,$ORIGIN/lib")
    library(tree / "demo/_bad.so", "int inner(void), gone(void); int b(void) { return inner() + gone(); }", str(inner),
            str(gone), "-Wl,-rpath,/opt/vendor/lib")
    shutil.copy(tree / "demo/_bad.so", tree / "demo" / HOSTILE)
    (tree / "demo/__init__.py").write_text("")
    wheel = folder / "demo-1.0-py3-none-linux_x86_64.whl"
    pack_wheel.main(tree, wheel)
    return wheel


def environment(folder: Path, *packages: str) -> str | None:
    """A Python that has `packages` of PyPI; None without network."""
    python = folder / "venv/bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
    done = subprocess.run([str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check", *packages],
                          capture_output=True, text=True)
    if done.returncode != 0:
        print(f"cannot install {' '.join(packages)}: {done.stderr.strip()[-200:]}")
        return None
    return str(python)


def sarif(text: str, findings: list[dict], folder: Path) -> bool:
    python = environment(folder, "sarif-pydantic==0.6.2")
    if not python:
        return False
    file = folder / "out.sarif"
    subprocess.run([python, "-c", "import sys; from sarif_pydantic import Sarif; Sarif.model_validate_json(open(sys.argv[1]).read())",
                    str(file)], check=True)
    run = json.loads(text)["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    assert [result["ruleId"] for result in run["results"]] == [finding["rule"] for finding in findings]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"], result
        assert result["level"] in ("error", "warning", "note"), result
    return True


def junit(text: str, findings: list[dict], folder: Path) -> bool:
    python = environment(folder, "junitparser==5.0.3")
    if not python:
        return False
    program = ("import sys, junitparser\nx = junitparser.JUnitXml.fromfile(sys.argv[1])\n"
               "print(x.failures, sum(len(s) for s in x), sum(s.failures for s in x))")
    said = subprocess.run([python, "-c", program, str(folder / "out.xml")], check=True, capture_output=True, text=True).stdout
    failing = {(finding["rule"], finding["member"]) for finding in findings if finding["severity"] == "error"}
    failures, cases, by_suite = map(int, said.split())
    assert failures == by_suite == len(failing), (said, failing)
    root = xml.etree.ElementTree.fromstring(text)
    assert cases == len(root.findall(".//testcase")) == int(root.get("tests"))
    assert any(HOSTILE in case.get("name") for case in root.iter("testcase")), "the name with markup is lost"
    return True


def github(text: str, findings: list[dict], folder: Path) -> bool:
    lines = text.splitlines()
    assert len(lines) == len(findings), "not one line a finding"
    for line, finding in zip(lines, findings):
        level = {"note": "notice"}.get(finding["severity"], finding["severity"])
        assert line.startswith(f"::{level} title={finding['rule']}::"), line
    return True


def md(text: str, findings: list[dict], folder: Path) -> bool:
    python = environment(folder, "markdown-it-py==4.3.0")
    if not python:
        return False
    program = "import sys; from markdown_it import MarkdownIt; print(MarkdownIt('gfm-like', {'linkify': False}).render(sys.stdin.read()))"
    page = subprocess.run([python, "-c", program], input=text, check=True, capture_output=True, text=True).stdout
    rows = re.findall(r"<tr>\s*<td>(.*?)</td>", page)
    assert rows == [finding["rule"] for finding in findings], rows
    assert "<b>" not in page, "a member's name became markup"
    return True


BROWSER_STEPS = r"""
import sys
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.chrome.service import Service
options = webdriver.ChromeOptions()
options.binary_location = '/usr/bin/chromium'
for argument in ('--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--window-size=1300,1000'):
    options.add_argument(argument)
options.set_capability('goog:loggingPrefs', {'browser': 'ALL'})
browser = webdriver.Chrome(options=options, service=Service('/usr/bin/chromedriver'))
try:
    browser.get('file://' + sys.argv[1])
    nodes = browser.find_elements(By.CSS_SELECTOR, 'svg.graph a.node')
    missing = browser.find_elements(By.CSS_SELECTOR, 'svg.graph path.missing')
    assert len(nodes) >= 5, len(nodes)
    assert missing, 'no broken edge is drawn'
    red = [int(n) for n in __import__('re').findall(r'\d+', missing[0].value_of_css_property('stroke'))[:3]]
    assert red[0] > 150 and red[0] > 2 * max(red[1], red[2]), red
    for node in nodes:
        box = node.find_element(By.TAG_NAME, 'rect').rect
        assert box['width'] > 0 and box['height'] > 0
    # By keyboard alone: tab to the first node, down to the next, Enter to its details.
    for _ in range(60):
        webdriver.ActionChains(browser).send_keys(Keys.TAB).perform()
        if browser.execute_script("return document.activeElement.classList.contains('node')"):
            break
    else:
        raise AssertionError('no node can be reached by the keyboard')
    first = browser.switch_to.active_element.get_attribute('data-node')
    assert browser.find_elements(By.CSS_SELECTOR, 'path.lit'), 'the edges of the focused node are not lit'
    webdriver.ActionChains(browser).send_keys(Keys.ARROW_DOWN).perform()
    second = browser.switch_to.active_element
    assert second.get_attribute('data-node') != first, 'the down key moves nowhere'
    webdriver.ActionChains(browser).send_keys(Keys.ENTER).perform()
    name = browser.execute_script('return location.hash.slice(1)')
    assert name, 'Enter leads nowhere'
    assert browser.execute_script('return document.getElementById(arguments[0]) !== null', name)
    assert not browser.find_elements(By.CSS_SELECTOR, 'td b, text b'), 'a name became markup'
    log = [entry for entry in browser.get_log('browser') if entry['level'] == 'SEVERE']
    assert not log, log
    browser.save_screenshot(sys.argv[2])
finally:
    browser.quit()
"""


def html(text: str, findings: list[dict], folder: Path) -> bool:
    assert not re.search(r'(src|href)="(?!#|data:)', text), "the page needs something outside"
    if not Path("/usr/bin/chromium").exists() or not Path("/usr/bin/chromedriver").exists():
        print("no chromium here")
        return False
    python = environment(folder, "selenium==4.27.1")
    if not python:
        return False
    subprocess.run([python, "-c", BROWSER_STEPS, str(folder / "out.html"), str(folder / "page.png")], check=True, timeout=120)
    assert (folder / "page.png").stat().st_size > 5000
    return True


FORMATS = {"sarif": ("out.sarif", sarif), "junit": ("out.xml", junit), "github": ("out.github", github), "md": ("out.md", md),
           "html": ("out.html", html)}


def main() -> int:
    truewheel = str(Path(sys.argv[1]).resolve())
    wanted = sys.argv[2:] or list(FORMATS)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = broken_wheel(folder)
        reports = ",".join(f"{format}={folder / FORMATS[format][0]}" for format in wanted)
        done = subprocess.run([truewheel, "check", "--json", "--report", reports, str(wheel)], capture_output=True, text=True,
                              env=os.environ | {"LC_ALL": "C"})
        assert done.returncode == 1, (done.returncode, done.stderr)
        findings = json.loads(done.stdout)["subjects"][0]["findings"]
        assert any(finding["severity"] == "error" for finding in findings)
        read = 0
        for format in wanted:
            file, judge = FORMATS[format]
            was_read = judge((folder / file).read_text(encoding="utf-8"), findings, folder)
            read += was_read
            print(f"{format}: {'read' if was_read else 'skipped'}")
    return 0 if read else 77


if __name__ == "__main__":
    sys.exit(main())
