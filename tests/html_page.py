"""html_page.py ROOT: opens slimgrad's pages in $BROWSER and looks at what came of them.

Screenshots are left in $SLIMGRAD_SCREENSHOTS, if that is set.
"""

import html.parser
import http.server
import os
import re
import struct
import subprocess
import sys
import tempfile
import threading
import zlib
from pathlib import Path

root = Path(sys.argv[1])
slimgrad, browser = os.environ["SLIMGRAD"], os.environ["BROWSER"]
HOSTILE = '</script><script>document.title="bad"</script><img src=http://127.0.0.1:{port}/x onerror=document.title="bad">'

requests = []


class Trap(http.server.BaseHTTPRequestHandler):
    """Takes note of whatever asks for something."""

    def do_GET(self):
        requests.append(self.path)
        self.send_response(404)
        self.end_headers()

    def log_message(self, *_):
        pass


def browse(page, *options):
    command = [browser, "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr", "--v=0",
               f"--user-data-dir={page.parent}/profile", *options, page.as_uri()]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    console = [line for line in done.stderr.decode(errors="replace").splitlines() if "CONSOLE" in line]
    assert done.returncode == 0, (command, done.stderr)
    assert not console, console
    return done.stdout.decode()


def pixels(path):
    """Width and rows of a PNG with 8 bits for each of three or four colours."""
    data = path.read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n"), path
    at, packed, width, depth = 8, b"", 0, 0
    while at < len(data):
        (length,), kind = struct.unpack(">I", data[at:at + 4]), data[at + 4:at + 8]
        chunk = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, _, bits, colours = struct.unpack(">IIBB", chunk[:10])
            assert bits == 8 and colours in (2, 6), (bits, colours)
            depth = 3 if colours == 2 else 4
        elif kind == b"IDAT":
            packed += chunk
        at += 12 + length
    raw, rows, above = zlib.decompress(packed), [], bytearray(width * depth)
    for begin in range(0, len(raw), width * depth + 1):
        how, row = raw[begin], bytearray(raw[begin + 1:begin + 1 + width * depth])
        for i in range(len(row)):
            left = row[i - depth] if i >= depth else 0
            corner = above[i - depth] if i >= depth else 0
            if how == 1:
                row[i] = (row[i] + left) & 255
            elif how == 2:
                row[i] = (row[i] + above[i]) & 255
            elif how == 3:
                row[i] = (row[i] + (left + above[i]) // 2) & 255
            elif how == 4:
                guess = left + above[i] - corner
                nearest = min((left, above[i], corner), key=lambda v: abs(guess - v))
                row[i] = (row[i] + nearest) & 255
        rows.append(row)
        above = row
    return width, depth, rows


def brightness(path):
    """Of the corner, which is the page's own colour, and the share of pixels of another colour."""
    _, depth, rows = pixels(path)
    corner = bytes(rows[0][:depth])
    some = [bytes(row[i:i + depth]) for row in rows[::4] for i in range(0, len(row), 4 * depth)]
    return sum(corner[:3]) / 3, sum(pixel != corner for pixel in some) / len(some)


class Page(html.parser.HTMLParser):
    """Elements of the page as the browser has them."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.headings, self.ids, self.links, self.bars = [], [], set(), [], []
        self.captions, self.open = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        own = dict(attributes)
        self.tags.append(tag)
        self.open.append(tag)
        assert not any(name.startswith("on") for name in own), own
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if "id" in own:
            assert own["id"] not in self.ids, own["id"]
            self.ids.add(own["id"])
        if tag == "a":
            self.links.append(own["href"])
        if tag == "caption":
            self.captions.append("")
        if own.get("class", "").startswith("bar "):
            self.bars.append((own["class"][4:], float(re.search(r"width: ?([\d.]+)%", own["style"])[1])))

    def handle_endtag(self, tag):
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data):
        if "caption" in self.open:
            self.captions[-1] += data


def run(folder, name, *arguments, status):
    page = folder / f"{name}.html"
    done = subprocess.run([slimgrad, *map(str, arguments), "--output-format", "html"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    assert done.returncode == status, (arguments, done.returncode, done.stderr)
    page.write_bytes(done.stdout)
    dom = browse(page, "--dump-dom")
    assert "<title>slimgrad" in dom, dom[:300]  # no script has changed it
    parsed = Page(dom)
    assert "script" not in parsed.tags and "img" not in parsed.tags, parsed.tags
    levels = parsed.headings
    assert levels[0] == 1 and all(b <= a + 1 for a, b in zip(levels, levels[1:])), levels
    assert all(link[0] == "#" and link[1:] in parsed.ids for link in parsed.links), parsed.links
    return page, dom, parsed


def main():
    trap = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Trap)
    threading.Thread(target=trap.serve_forever, daemon=True).start()
    hostile = HOSTILE.format(port=trap.server_port)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        shader = folder / "a<b>&.slang"
        text = (root / "corpus/hash_grid.slang").read_text()
        shader.write_text(text + "// " + hostile + "\n")

        page, dom, parsed = run(folder, "fix", "fix", "--diff", shader, status=1)
        kernels = [c for c in parsed.captions if "threads per block" in c]
        assert [k.split()[0] for k in kernels] == ["gradMain", "primalMain"], parsed.captions
        rows = re.findall(r'<th scope="row">registers</th><td class="number">(\d+)</td><td class="number">(\d+)</td>', dom)
        (before, after), (forward, _) = [tuple(map(int, row)) for row in rows]
        assert after < before, rows
        most = max(before, after, forward)
        assert parsed.bars[0] == ("before", round(100 * before / most, 2)), parsed.bars[0]
        assert parsed.bars[1] == ("after", round(100 * after / most, 2)), parsed.bars[1]
        assert "[PreferRecompute" in dom and 'class="added"' in dom and 'class="stores"' in dom
        assert "&lt;/script&gt;" in dom and shader.read_text() == text + "// " + hostile + "\n"

        for name, options in {"light": ["--window-size=1280,1600"], "narrow": ["--window-size=500,1600"],
                              "dark": ["--window-size=1280,1600", "--blink-settings=preferredColorScheme=0"]}.items():
            shot = Path(os.environ.get("SLIMGRAD_SCREENSHOTS", folder)) / f"{name}.png"
            browse(page, f"--screenshot={shot}", *options)
            ground, drawn = brightness(shot)
            assert (ground < 60) == (name == "dark"), (name, ground)
            assert 0.02 < drawn < 0.6, (name, drawn)

        _, dom, parsed = run(folder, "report", "report", root / "corpus/hash_grid.slang", shader, status=0)
        assert dom.count('<h2 id="m') == 2 and "svg" not in parsed.tags
        (folder / "broken.slang").write_text("float f( {" + hostile + "\n")
        run(folder, "broken", "check", folder / "broken.slang", status=3)
    assert not requests, requests


main()
