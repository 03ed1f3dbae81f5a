"""A desktop for tests: a session bus of its own (dbus-daemon) and a notification service that writes down what it is asked to show.

    python3 desktop.py FOLDER

Prints "ready" once programs with DBUS_SESSION_BUS_ADDRESS=unix:path=FOLDER/bus are served; each notification becomes a line of
FOLDER/notices.txt, its title and its text with a tab between. Ends when FOLDER is gone, or with its parent."""

import os
import pathlib
import socket
import struct
import subprocess
import sys
import threading
import time

CONFIGURATION = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:path={}</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy></busconfig>"""


def padded(data, size):
    return data + b"\0" * (-len(data) % size)


def text(value):
    return struct.pack("<I", len(value.encode())) + value.encode() + b"\0"


def message(kind, serial, fields, signature="", body=b""):
    head = b""
    for code, form, value in fields + ([(8, "g", signature)] if signature else []):
        head = padded(head, 8) + bytes([code, 1]) + form.encode() + b"\0"
        if form == "g":
            head += bytes([len(value)]) + value.encode() + b"\0"
        else:
            head += struct.pack("<I", value) if form == "u" else text(value)
    return padded(struct.pack("<cBBBIII", b"l", kind, 0, 1, len(body), serial, len(head)) + head, 8) + body


def texts_and_numbers(body, signature):
    place, values = 0, []
    for form in signature:
        place += -place % 4
        number = struct.unpack_from("<I", body, place)[0]
        place += 4
        if form == "s":
            values.append(body[place:place + number].decode())
            place += number + 1
        else:
            values.append(number)
    return values


def serve(bus, notices):
    stream, serial = bus.makefile("rb"), 2
    while head := stream.read(16):
        length, number, fields = struct.unpack("<III", head[4:])
        rest = stream.read(fields + -fields % 8 + length)
        if head[1] != 1:
            continue
        # Fields of a call: the one that names its method, and the sender that the bus has put in.
        named, place = {}, 0
        while place < fields:
            place += -place % 8
            code, form = rest[place], chr(rest[place + 2])
            place += 4
            if form == "g":
                size = rest[place]
                named[code] = rest[place + 1:place + 1 + size].decode()
                place += size + 2
            elif form == "u":
                place += 4
            else:
                size = struct.unpack_from("<I", rest, place)[0]
                named[code] = rest[place + 4:place + 4 + size].decode()
                place += size + 5
        serial += 1
        answer = [(5, "u", number), (6, "s", named[7])]
        if named.get(3) == "Notify" and named.get(8) == "susssasa{sv}i":
            _, _, _, title, words = texts_and_numbers(rest[fields + -fields % 8:], "susss")
            with notices.open("a") as file:
                file.write(f"{title}\t{words}\n")
            bus.sendall(message(2, serial, answer, "u", struct.pack("<I", serial)))
        else:
            bus.sendall(message(3, serial, [*answer, (4, "s", "org.freedesktop.DBus.Error.UnknownMethod")]))


def main():
    folder, parent = pathlib.Path(sys.argv[1]), os.getppid()
    (folder / "bus.conf").write_text(CONFIGURATION.format(folder / "bus"))
    daemon = subprocess.Popen(
        ["dbus-daemon", "--nofork", "--nopidfile", "--nosyslog", f"--config-file={folder / 'bus.conf'}", "--print-address=1"],
        stdout=subprocess.PIPE)
    try:
        daemon.stdout.readline()
        bus = socket.socket(socket.AF_UNIX)
        bus.connect(str(folder / "bus"))
        bus.sendall(b"\0AUTH EXTERNAL " + str(os.geteuid()).encode().hex().encode() + b"\r\n")
        if not bus.recv(500).startswith(b"OK"):
            sys.exit("the bus lets nobody in")
        place = [(1, "o", "/org/freedesktop/DBus"), (2, "s", "org.freedesktop.DBus"), (6, "s", "org.freedesktop.DBus")]
        bus.sendall(b"BEGIN\r\n" + message(1, 1, [*place, (3, "s", "Hello")]) + message(
            1, 2, [*place, (3, "s", "RequestName")], "su", padded(text("org.freedesktop.Notifications"), 4) + struct.pack("<I", 4)))
        (folder / "notices.txt").touch()
        threading.Thread(target=serve, args=(bus, folder / "notices.txt"), daemon=True).start()
        print("ready", flush=True)
        while folder.exists() and os.getppid() == parent:
            time.sleep(0.05)
    finally:
        daemon.kill()  # whoever started us may have blocked gentler signals, and we have inherited that
        daemon.wait()


if __name__ == "__main__":
    main()
