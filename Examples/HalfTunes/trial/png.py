"""Pictures as PNG files."""

import struct
import zlib


def encode(width, height, rows, level=-1):
    """A picture of eight bits in each of three colours.

    `rows` has a zero before each row, and `level` is zlib's.
    """
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = [(b"IHDR", header), (b"IDAT", zlib.compress(bytes(rows), level)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(part(*content) for content in parts)


def part(name, content):
    checksum = zlib.crc32(name + content)
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", checksum)
