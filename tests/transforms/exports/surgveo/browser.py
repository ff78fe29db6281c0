"""A headless Chromium over its debugging pipe: messages are JSON, each ended by a zero byte.

Only the standard library is needed: a pipe, unlike the debugging port, is no WebSocket.
"""

import fcntl
import json
import os
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu",
    "--disable-dev-shm-usage", "--no-first-run", "--no-default-browser-check",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-extensions", "--mute-audio", "--window-size=1400,1000",
)  # fmt: skip
LAUNCH = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.dup2(int(sys.argv[2]), 4)
os.execv(sys.argv[3], sys.argv[3:])
"""
"""The browser reads descriptor 3 and writes descriptor 4.  A shell is not asked to rename them:
some know no descriptor above 9."""
PATIENCE = 90
LOADED = "Page.loadEventFired"
"""Seconds: the machine may be busy with other tests."""
CODES = {"Enter": 13, "Escape": 27, "Backspace": 8, "PageUp": 33, "PageDown": 34,
         "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}  # fmt: skip


def found() -> str | None:
    """The browser's path."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    """One browser with one page."""

    def __init__(self, program: str, folder: Path) -> None:
        self.downloads = folder / "downloads"
        self.downloads.mkdir(parents=True)
        to_read, self._write = _pipe()
        self._read, to_write = _pipe()
        home = {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder / "config"),
                "XDG_CACHE_HOME": str(folder / "cache")}  # fmt: skip
        start = [sys.executable, "-c", LAUNCH, str(to_read), str(to_write)]
        self._process = subprocess.Popen(
            [*start, program, *FLAGS, f"--user-data-dir={folder / 'profile'}"],
            pass_fds=(to_read, to_write), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env=os.environ | home,
        )  # fmt: skip
        os.close(to_read)
        os.close(to_write)
        self._buffer, self._last, self._session = b"", 0, None
        self.events = []
        try:
            self._begin()
        except BaseException:
            self._end()
            raise

    def _begin(self) -> None:
        """Open a page, and have its downloads written to the folder."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self.call("Browser.setDownloadBehavior", behavior="allow", eventsEnabled=True,
                  downloadPath=str(self.downloads))  # fmt: skip
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "DOM"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params):
        """Send a command and wait for its reply."""
        self._last += 1
        message = {"id": self._last, "method": method, "params": params}
        if self._session and not method.startswith(("Browser.", "Target.")):
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            reply = self._next()
            if reply.get("id") == self._last:
                assert "error" not in reply, reply
                return reply["result"]

    def _next(self):
        end = time.monotonic() + PATIENCE
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._read], [], [], max(0, end - time.monotonic()))
            data = os.read(self._read, 1 << 16) if ready else b""
            if not data:
                raise TimeoutError("the browser says nothing")
            self._buffer += data
        text, _, self._buffer = self._buffer.partition(b"\0")
        message = json.loads(text)
        if "method" in message:
            self.events.append(message)
        return message

    def wait(self, event: str, **having):
        """The next event of this name with these parameters; earlier ones are gone through too."""
        while True:
            for k, one in enumerate(self.events):
                params = one["params"]
                if one["method"] == event and having.items() <= params.items():
                    return self.events.pop(k)["params"]
            self._next()

    def open(self, path: Path) -> None:
        """Go to a local file."""
        self.go(path.as_uri())

    def go(self, url: str) -> None:
        """Go to an address and wait until the page is loaded."""
        self._load("Page.navigate", url=url)

    def reload(self) -> None:
        """Load the page again."""
        self._load("Page.reload")

    def _load(self, method: str, **params) -> None:
        # A page that was left before it was loaded has an event that nobody waited for.
        self.events = [one for one in self.events if one["method"] != LOADED]
        self.call(method, **params)
        self.wait(LOADED)

    def eval(self, script: str):
        """The value of an expression, promises awaited."""
        reply = self.call("Runtime.evaluate", expression=script, returnByValue=True,
                          awaitPromise=True)  # fmt: skip
        assert "exceptionDetails" not in reply, reply
        return reply["result"].get("value")

    def until(self, script: str):
        """Wait until an expression holds; its value.  What it names may not be there yet."""
        end = time.monotonic() + PATIENCE
        while not (value := self.eval(f"(() => {{try {{return {script}}} catch {{}}}})()")):
            assert time.monotonic() < end, script
            time.sleep(0.02)
        return value

    def press(self, key: str, control: bool = False) -> None:
        """Press and release a key."""
        plain = len(key) == 1 and not control
        shape = {"key": key, "modifiers": 2 if control else 0,
                 "windowsVirtualKeyCode": CODES.get(key) or _code(key)}  # fmt: skip
        down = shape | ({"type": "keyDown", "text": key} if plain else {"type": "rawKeyDown"})
        self.call("Input.dispatchKeyEvent", **down)
        self.call("Input.dispatchKeyEvent", **shape, type="keyUp")

    def type(self, text: str) -> None:
        """Put text where the cursor is."""
        self.call("Input.insertText", text=text)

    def give_file(self, selector: str, path: Path) -> None:
        """Choose a file in a file field."""
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        node = self.call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.call("DOM.setFileInputFiles", nodeId=node, files=[str(path)])

    def download(self) -> Path:
        """The file that is being saved, when it is whole."""
        begun = self.wait("Browser.downloadWillBegin")
        self.wait("Browser.downloadProgress", guid=begun["guid"], state="completed")
        return self.downloads / begun["suggestedFilename"]

    def close(self) -> None:
        """End the browser."""
        try:
            self.call("Browser.close")
            self._process.wait(20)
        except (OSError, TimeoutError, subprocess.TimeoutExpired):
            pass
        self._end()

    def _end(self) -> None:
        """End the process if it still runs."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        os.close(self._read)
        os.close(self._write)


def _code(key: str) -> int:
    """Letters, digits and the blank have their own number for a code; signs have others."""
    return ord(key.upper()) if key.isalnum() or key == " " else 0


def _pipe() -> tuple[int, int]:
    """A pipe whose ends are not among the descriptors that a shell line renames."""
    ends = os.pipe()
    high = tuple(fcntl.fcntl(one, fcntl.F_DUPFD_CLOEXEC, 10) for one in ends)
    for one in ends:
        os.close(one)
    return high
