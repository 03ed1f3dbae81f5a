"""Reads a CTranslate2 `model.bin`: a version, a specification name, named arrays, aliases. Every length is checked against
the file before anything is allocated, because the file comes from the network."""
import os, struct
import numpy

TYPES = {0: numpy.float32, 1: numpy.int8, 2: numpy.int16, 3: numpy.int32, 4: numpy.float16}


class Malformed(Exception):
    pass


class Reader:
    def __init__(self, path):
        self.file = open(path, "rb")
        self.left = os.path.getsize(path)

    def take(self, count):
        if count > self.left:
            raise Malformed(f"{count} bytes announced where {self.left} are left")
        self.left -= count
        return self.file.read(count)

    def number(self, form):
        return struct.unpack("<" + form, self.take(struct.calcsize(form)))[0]

    def text(self):
        return self.take(self.number("H")).rstrip(b"\0").decode()


def read(path):
    """The specification's name and the arrays by name."""
    reader = Reader(path)
    reader.number("I")
    specification = reader.text()
    reader.number("I")
    arrays = {}
    for _ in range(reader.number("I")):
        name = reader.text()
        shape = [reader.number("I") for _ in range(reader.number("B"))]
        kind = reader.number("B")
        if kind not in TYPES:
            raise Malformed(f"{name} has the unknown type {kind}")
        data = numpy.frombuffer(reader.take(reader.number("I")), TYPES[kind])
        size = 1
        for dimension in shape:
            size *= dimension
        if size != data.size:
            raise Malformed(f"{name} is {data.size} numbers, its shape says {size}")
        arrays[name] = data.reshape(shape)
    if reader.left:  # aliases: pairs of names, which no converter here needs
        for _ in range(reader.number("I")):
            reader.text(), reader.text()
    if reader.left:
        raise Malformed(f"{reader.left} bytes follow the end")
    return specification, arrays
