#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""test.py BUILD FOLDER: opens docs/player.html in a headless Chromium, gives it files that the
program paco and GStreamer have made, and compares what it shows with what paco decodes."""
import base64
import fcntl
import hashlib
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD, FOLDER = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
PACO = BUILD / 'tool/paco'
SEED = int(os.environ.get('PACO_SEED', random.randrange(1 << 30)))


class Browser:
    """Chromium by its DevTools protocol, over a pipe: messages end with a zero byte."""

    def __init__(self):
        to_read, self.to = os.pipe()
        self.of, of_write = os.pipe()

        def set_up():
            # They may be 3 and 4 already, to be closed.
            high = [fcntl.fcntl(fd, fcntl.F_DUPFD, 10) for fd in (to_read, of_write)]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)
        name = shutil.which('chromium') or shutil.which('chromium-browser')
        self.process = subprocess.Popen(
            [name, '--headless', '--no-sandbox', '--disable-gpu', '--remote-debugging-pipe',
             f'--user-data-dir={FOLDER}/profile', 'about:blank'],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=set_up, close_fds=False)
        os.close(to_read)
        os.close(of_write)
        self.number, self.buffer, self.session = 0, b'', None
        target = self.call('Target.createTarget', url='about:blank')
        self.session = self.call('Target.attachToTarget', targetId=target['targetId'],
                                 flatten=True)['sessionId']
        self.call('Page.navigate', url=(ROOT / 'docs/player.html').as_uri())
        self.evaluate('new Promise ((done) => document.readyState === "complete" ? done (1)'
                      ' : addEventListener ("load", () => done (1)))'
                      '.then (() => started)')

    def call(self, method, **parameters):
        self.number += 1
        message = {'id': self.number, 'method': method, 'params': parameters}
        if self.session:
            message['sessionId'] = self.session
        os.write(self.to, json.dumps(message).encode() + b'\0')
        while True:
            while b'\0' not in self.buffer:
                more = os.read(self.of, 1 << 20)
                assert more, 'the browser has ended'
                self.buffer += more
            text, self.buffer = self.buffer.split(b'\0', 1)
            answer = json.loads(text)
            if answer.get('id') == self.number:
                assert 'error' not in answer, answer
                return answer['result']

    def evaluate(self, expression):
        result = self.call('Runtime.evaluate', expression=expression, awaitPromise=True,
                           returnByValue=True)
        assert 'exceptionDetails' not in result, result
        return result['result'].get('value')

    def choose(self, path):
        """Chooses a file as a user does, without opening it."""
        document = self.call('DOM.getDocument')['root']['nodeId']
        node = self.call('DOM.querySelector', nodeId=document, selector='#file')['nodeId']
        self.evaluate('document.getElementById ("file").onchange = null')
        self.call('DOM.setFileInputFiles', nodeId=node, files=[os.fspath(path)])

    def show(self, path, n=0):
        """Returns frame n as the page has it: status, pixels, samples."""
        self.choose(path)
        return self.evaluate('''(async () => {
          await openFile (document.getElementById ("file").files[0]);
          const shown = frames.length > %d ? await show (%d, true) : null;
          const text = (bytes) => {
            let all = "";
            for (let i = 0; i < bytes.length; i += 8192)
              all += String.fromCharCode (...bytes.subarray (i, i + 8192));
            return btoa (all);
          };
          const drawn = context.getImageData (0, 0, canvas.width, canvas.height).data;
          return { status: byId ("status").textContent, n: frames.length, kind,
            isError: byId ("status").className === "error",
            info: byId ("info").textContent, width: canvas.width, height: canvas.height,
            seconds: shown && shown.seconds, pixels: text (drawn),
            raw: shown && shown.raw.map (text) };
        }) ()''' % (n, n))


def paco(*arguments):
    subprocess.run([PACO, *map(os.fspath, arguments)], check=True, capture_output=True)


def picture(width, height, kind=b'P6', maxval=255):
    """A PNM file with something to see and some noise."""
    n, wide = (3 if kind == b'P6' else 1), maxval > 255
    samples = bytearray()
    for y in range(height):
        for x in range(width * n):
            value = (5 * x + 3 * y + random.randrange(1 + maxval // 8)) % (maxval + 1)
            samples += value.to_bytes(2 if wide else 1, 'big')
    return kind + b'\n%d %d\n%d\n' % (width, height, maxval) + bytes(samples)


def pixels_of_ppm(path):
    data = path.read_bytes()
    samples = data.split(b'\n', 3)[3]
    return b''.join(samples[i:i + 3] + b'\xff' for i in range(0, len(samples), 3))


# --- tests ------------------------------------------------------------------

def test_rgb(browser, tmp):
    """Pixels of RGB of 8 bits are those that paco decodes, in all containers."""
    for i in range(3):
        (tmp / f'in_{i}.ppm').write_bytes(picture(210, 77))
    for name in 'rgb.paco', 'rgb.mov', 'rgb.mkv', 'rgb.mp4':
        paco('encode', '-f', '--quality=80', '--fps=25', tmp / 'in_%d.ppm', tmp / name)
        paco('decode', '-f', '--as=pnm', tmp / name, tmp / 'out_%d.ppm')
        for n in 0, 2:
            shown = browser.show(tmp / name, n)
            assert shown['n'] == 3 and not shown['isError'], (name, shown['status'])
            assert (shown['width'], shown['height']) == (210, 77)
            assert base64.b64decode(shown['pixels']) == pixels_of_ppm(tmp / f'out_{n}.ppm'), name
            assert '210 x 77, 3 components' in shown['info'], shown['info']


def test_yuv(browser, tmp):
    """Samples of YUV of 10 bits are those that paco decodes. So are pixels, but where chroma
    changes, which the page repeats and paco interpolates. GStreamer makes the files."""
    for muxer, name in ('qtmux', 'yuv.mov'), ('matroskamux', 'yuv.mkv'):
        subprocess.run(['gst-launch-1.0', '-q', 'videotestsrc', 'num-buffers=4', '!',
                        'video/x-raw,format=I422_10LE,width=334,height=260,framerate=25/1', '!',
                        'pacoenc', '!', muxer, '!', 'filesink', f'location={tmp / name}'],
                       check=True, capture_output=True)
        paco('decode', '-f', '--as=raw', tmp / name, tmp / 'yuv.raw')
        raw = (tmp / 'yuv.raw').read_bytes()
        size = 334 * 260 * 2 * 2
        for n in 0, 3:
            shown = browser.show(tmp / name, n)
            assert shown['n'] == 4 and not shown['isError'], (name, shown['status'])
            mine = b''.join(map(base64.b64decode, shown['raw']))
            assert mine == raw[n * size:(n + 1) * size], (name, n, len(mine), len(raw))
            paco('decode', '-f', '--as=pnm', f'--frames={n}', tmp / name, tmp / 'yuv.ppm')
            rgb = (tmp / 'yuv.ppm').read_bytes().split(b'\n', 3)[3][::2]
            pixels = base64.b64decode(shown['pixels'])
            differences = [abs(a - pixels[i // 3 * 4 + i % 3]) for i, a in enumerate(rgb)]
            assert sum(differences) < 2 * len(rgb), (name, sum(differences) / len(rgb))


def test_large(browser, tmp):
    """A large picture is shown, and how long that takes is said."""
    (tmp / 'large.ppm').write_bytes(picture(1920, 1080))
    paco('encode', '-f', tmp / 'large.ppm', tmp / 'large.paco')
    shown = browser.show(tmp / 'large.paco')
    assert shown['status'].startswith('Decoded in '), shown['status']
    print(f'# 1920 x 1080 RGB of 8 bits, quality 90, a noisy picture: {shown["seconds"]:.2f} s')
    small = browser.evaluate('''(async () => {
      const request = await gather (0);
      return (await ask ({ frames: request.frames, position: 0, reduce: 2 })).seconds;
    }) ()''')
    print(f'# a quarter of its width and height: {small:.2f} s')
    paco('decode', '-f', '--as=pnm', tmp / 'large.paco', tmp / 'large-out.ppm')
    assert base64.b64decode(shown['pixels']) == pixels_of_ppm(tmp / 'large-out.ppm')


def test_golden(browser, tmp):
    """Every golden stream is shown, its samples those of components.md5."""
    expected = {}
    for line in (ROOT / 'tests/golden/components.md5').read_text().splitlines():
        name, number, levels, *sums = line.split()
        if not line.startswith('#') and levels == '0':
            expected[name, int(number)] = sums
    for (name, number), sums in expected.items():
        shown = browser.show(ROOT / f'tests/golden/{name}.paco', number)
        assert not shown['isError'], (name, shown['status'])
        found = [hashlib.md5(base64.b64decode(part)).hexdigest() for part in shown['raw']]
        assert found == sums, (name, number)
        assert ('are broken' in shown['info']) == ('broken' in name), shown['info']


def test_steps(browser, tmp):
    """The buttons step, and PNG files have the picture."""
    browser.show(tmp / 'rgb.mov')
    assert browser.evaluate('byId ("number").textContent') == '1 of 3'
    for button, number in ('forward', 2), ('forward', 3), ('forward', 3), ('back', 2):
        browser.evaluate(f'byId ("{button}").click ()')
        assert browser.evaluate('byId ("number").textContent') == f'{number} of 3'
    png = browser.evaluate('''(async () => {
      await show (1);
      return canvas.toDataURL ("image/png");
    }) ()''')
    (tmp / 'saved.png').write_bytes(base64.b64decode(png.split(',')[1]))
    paco('encode', '-f', '--lossless', tmp / 'saved.png', tmp / 'saved.paco')
    paco('decode', '-f', '--as=pam', tmp / 'saved.paco', tmp / 'saved.pam')
    paco('decode', '-f', '--as=pnm', tmp / 'rgb.mov', tmp / 'out_%d.ppm')
    saved = (tmp / 'saved.pam').read_bytes().split(b'ENDHDR\n', 1)[1]
    assert saved == pixels_of_ppm(tmp / 'out_1.ppm')


def test_damage(browser, tmp):
    """Damaged files give a sentence or a picture, and the page works afterwards."""
    named = [tmp / name for name in ('rgb.paco', 'rgb.mov', 'rgb.mkv', 'yuv.mov', 'yuv.mkv')]
    golden = sorted((ROOT / 'tests/golden').glob('*.paco'))
    n_errors = 0
    for i in range(120):
        path = random.choice(named if i % 2 else golden)
        data = bytearray(path.read_bytes())
        if i % 5 == 0:
            del data[random.randrange(len(data)):]
        for _ in range(random.choice([1, 5, 50])):
            if data:
                end = min(len(data), random.choice([200, 3000, len(data)]))
                data[random.randrange(end)] = random.randrange(256)
        (tmp / 'damaged').write_bytes(data)
        shown = browser.show(tmp / 'damaged')
        assert shown['status'] and shown['status'].endswith('.'), shown['status']
        n_errors += shown['isError']
    assert 10 < n_errors < 120, n_errors
    for name, data in ('empty', b''), ('text', b'Nothing of that kind.\n' * 99):
        (tmp / name).write_bytes(data)
        shown = browser.show(tmp / name)
        assert shown['isError'] and 'has no PaCo frames' in shown['status'], shown
    test_rgb(browser, tmp)


def main():
    random.seed(SEED)
    print(f'# PACO_SEED={SEED}')
    browser = Browser()
    passed = failed = 0
    for name, test in list(globals().items()):
        if not name.startswith('test_'):
            continue
        try:
            test(browser, FOLDER)
            passed += 1
            print(f'ok - {name[5:]}')
        except (AssertionError, subprocess.CalledProcessError) as error:
            failed += 1
            print(f'not ok - {name[5:]}: {str(error)[:2000]}')
    browser.process.kill()
    browser.process.wait()
    print(f'{passed} passed, {failed} failed')
    return failed > 0


sys.exit(main())
