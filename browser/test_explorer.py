"""The explorer in a real browser: `make browser`. The page is that of `make explorer`.

Both ways of answering are tested: Pyodide in a worker, and `muntin explore` on this machine.
"""

import json
import re
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from shutil import which

import pytest
from playwright.sync_api import Browser, Page, Playwright, expect, sync_playwright

from explorer_bundle import OUT, build
from muntin.cli.main import main
from muntin.explorer.permalink import fragment_of
from muntin.explorer.server import ExplorerHandler

ROOT = Path(__file__).parents[1]
TRACES = ROOT / "docs" / "examples" / "traces"
CHROMIUM = which("chromium") or "/usr/bin/chromium"
FIRST_ANSWER = 60_000
"""Milliseconds: machines of others are busy; the measurement is printed."""
HOSTILE = "</script><img src=x onerror=alert(1)><script>alert(2)</script>"


class QuietHandler(SimpleHTTPRequestHandler):
    """Serves files, and says nothing."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the class calls it
        """Log nothing."""


def serving(handler: object) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:  # type: ignore[arg-type] # a partial is one too
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="session")
def static() -> Iterator[str]:
    build()
    yield from serving(partial(QuietHandler, directory=str(OUT)))


@pytest.fixture(scope="session")
def local() -> Iterator[str]:
    yield from serving(ExplorerHandler)


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    launched = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
    yield launched
    launched.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    opened = browser.new_page(viewport={"width": 1100, "height": 1000}, accept_downloads=True)
    problems = list[str]()
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.on("dialog", lambda dialog: problems.append(f"dialog {dialog.message}"))
    opened.on(
        "request",
        lambda request: problems.extend(
            [] if request.url.startswith(("http://127.0.0.1", "blob:", "data:")) else [request.url]
        ),
    )
    yield opened
    opened.close()
    assert problems == []


def answered(page: Page) -> None:
    body = page.locator("body")
    expect(body).to_have_attribute("data-answered", re.compile("[1-9]"), timeout=FIRST_ANSWER)


def link(base: str, name: str) -> str:
    return f"{base}#{fragment_of(json.loads((TRACES / f'{name}.json').read_text()))}"


def rows(page: Page) -> list[str]:
    return page.locator("#rows li").all_inner_texts()


def test_a_still_is_there_before_python_and_a_touch_starts_it(page: Page, static: str) -> None:
    page.goto(static)
    assert page.locator("#picture").evaluate("image => image.naturalWidth") > 400
    expect(page.locator("#status")).to_contain_text("A still")
    page.mouse.click(500, 700)
    answered(page)
    assert len(rows(page)) == 4
    print("first answer, ms:", round(page.evaluate("performance.now()")))


def test_a_link_opens_with_its_trace_and_comes_back(page: Page, static: str) -> None:
    page.goto(link(static, "sessions_merge"))
    answered(page)
    assert any('"kind":"retracted"' in row for row in rows(page))
    assert page.url == link(static, "sessions_merge") or "#1." in page.url


@pytest.fixture(params=["static", "local"])
def explorer(request: pytest.FixtureRequest, page: Page) -> Page:
    base: str = request.getfixturevalue(request.param)
    page.goto(link(base, "late_event"))
    answered(page)
    return page


def wait_for_change(page: Page, before: list[str]) -> None:
    for _ in range(400):
        if rows(page) != before:
            return
        page.wait_for_timeout(50)
    raise AssertionError(before)


def test_dragging_an_event_changes_the_answer(explorer: Page) -> None:
    before = rows(explorer)
    handle = explorer.locator("#handles button").nth(3)
    box, picture = handle.bounding_box(), explorer.locator("#picture").bounding_box()
    assert box
    assert picture
    explorer.mouse.move(box["x"] + 14, box["y"] + 14)
    explorer.mouse.down()
    explorer.mouse.move(box["x"] + 0.7 * picture["width"], box["y"] + 14, steps=4)
    explorer.mouse.up()
    wait_for_change(explorer, before)
    assert not any('"late"' in row for row in rows(explorer))


def test_by_keyboard_only(explorer: Page) -> None:
    before = rows(explorer)
    explorer.locator("#handles button").nth(3).focus()
    explorer.keyboard.press("Delete")
    wait_for_change(explorer, before)
    assert explorer.locator("#handles button").count() == 3
    explorer.locator("#tab-windows").focus()
    explorer.keyboard.press("ArrowRight")
    explorer.keyboard.press("Enter")
    expect(explorer.locator("#engines table")).to_be_visible(timeout=20_000)


def test_steps_can_be_gone_through(explorer: Page) -> None:
    before = rows(explorer)
    explorer.locator("#shown").fill("1")
    wait_for_change(explorer, before)
    assert len(rows(explorer)) == 2


def test_a_dialect_changes_the_answer(explorer: Page) -> None:
    before = rows(explorer)
    explorer.locator("summary").first.click()
    explorer.locator("#dialect label", has_text="lateness ").locator("select").select_option(
        "never"
    )
    wait_for_change(explorer, before)
    assert not any('"late"' in row for row in rows(explorer))


def test_engines_stand_beside_each_other(page: Page, static: str) -> None:
    page.goto(link(static, "exact_gap"))
    answered(page)
    page.locator("#tab-engines").click()
    expect(page.locator("tr.differs", has_text="flink").first).to_be_visible(timeout=20_000)
    assert "session_merge: le" in page.locator("tr.differs", has_text="kafka-streams").inner_text()
    assert page.locator("tr", has_text="beam").get_attribute("class") == ""


def test_which_rules_finds_the_session_decision(page: Page, static: str) -> None:
    page.goto(link(static, "exact_gap"))
    answered(page)
    page.locator("#tab-rules").click()
    page.locator("#answer").fill('{"step": 0, "start": 2, "end": 12, "value": ["a", "b"]}')
    page.locator("#find").click()
    expect(page.locator("#explained")).to_contain_text("session_merge: le", timeout=20_000)
    expect(page.locator("#explained")).to_contain_text("flink (run)")


def test_structures_are_films(explorer: Page) -> None:
    explorer.locator("#tab-structures").click()
    expect(explorer.locator("#call")).to_contain_text("query", timeout=20_000)
    explorer.locator("#frame").fill("2")
    expect(explorer.locator("#call")).to_contain_text("insert 4")
    assert explorer.locator("#film").evaluate("image => image.naturalWidth") > 50


def test_an_export_passes_the_check_of_every_implementation(explorer: Page, tmp_path: Path) -> None:
    with explorer.expect_download() as download:
        explorer.locator("#export").click()
    file = tmp_path / "trace.json"
    download.value.save_as(file)
    assert main(["replay", str(file), "--check", "--with", "all"]) == 0


def test_hostile_links_do_nothing(page: Page, static: str) -> None:
    document = {
        "muntin": 1,
        "queries": [{"id": HOSTILE, "window": {"type": "tumbling", "size": 5}, "aggregate": "max"}],
        "steps": [{"events": [{"t": 1, "v": HOSTILE, "key": HOSTILE}], "watermark": "end"}],
    }
    page.goto(f"{static}#{fragment_of(document)}")  # type: ignore[arg-type] # plain JSON
    answered(page)
    assert page.locator("#rows img, #rows script, #handles img").count() == 0
    for fragment in ("1." + "A" * 1_000_000, "1.!!!", "2.abc"):
        page.goto("about:blank")
        page.goto(f"{static}#{fragment}")
        expect(page.locator("#error")).not_to_be_empty(timeout=FIRST_ANSWER)


def test_a_phone_needs_no_sideways_scrolling(browser: Browser, static: str) -> None:
    for scheme in ("light", "dark"):
        phone = browser.new_page(viewport={"width": 390, "height": 800}, color_scheme=scheme)  # type: ignore[arg-type] # one of two
        phone.goto(link(static, "sessions_merge"))
        answered(phone)
        assert phone.evaluate("document.documentElement.scrollWidth") <= 390
        phone.screenshot(path=ROOT / "build" / f"explorer-phone-{scheme}.png")
        phone.close()


def test_the_page_states_no_rule() -> None:
    text = (ROOT / "tools" / "muntin" / "explorer" / "static" / "explorer.js").read_text()
    for word in ("session", "tumbling_", "gap", "complete", "retract", "END"):
        assert word not in text.replace("type: 'tumbling'", ""), word
    assert "innerHTML" not in text
