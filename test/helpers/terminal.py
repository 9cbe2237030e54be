"""terminal.py COLUMNS STEPS PROGRAM...: runs a program in a terminal of its own and prints what it shows, as JSON.

STEPS is a JSON list of [text or path of a file to wait for, what happens then]: a text is typed, a number is a signal to
the program.
"""

import fcntl
import json
import os
import pty
import select
import struct
import sys
import termios

columns, steps, program = int(sys.argv[1]), json.loads(sys.argv[2]), sys.argv[3:]
process, terminal = pty.fork()
if process == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    os.execvp(program[0], program)

shown, seen = b"", 0
while True:
    # A program that shows nothing for half a minute hangs.
    if not select.select([terminal], [], [], 30)[0]:
        os.kill(process, 9)
    try:
        piece = os.read(terminal, 65536)
    except OSError:  # Linux says so when the last program has left the terminal
        piece = b""
    if not piece:
        break
    shown += piece
    while steps:
        awaited, then = steps[0]
        place = shown.find(awaited.encode(), seen)
        if place < 0 and not (awaited.startswith("/") and os.path.exists(awaited)):
            break
        steps.pop(0)
        seen = max(seen, place + len(awaited.encode()))
        if isinstance(then, int):
            os.kill(process, then)
        else:
            os.write(terminal, then.encode())

_, status = os.waitpid(process, 0)
print(json.dumps({"shown": shown.decode("utf-8", "replace"), "exitCode": os.waitstatus_to_exitcode(status)}))
