"""Songs that are made up, each always in the same way: words, pictures and sound."""

import array
import math
import random
import struct

import png

ARTISTS = [
    "The Ferrymen", "Harbour Lights", "Jörg & die Fähre", "Phà Chiều", "Slow Tide", "Ada Byte",
    "The Daemons", "North Quay",
]
FIRST_WORDS = ["Blue", "Silent", "Golden", "Midnight", "Paper", "Electric", "Distant", "Rainy"]
LAST_WORDS = ["River", "Harbour", "Engine", "Lantern", "Crossing", "Signal", "Island", "Letter"]
SAMPLES_PER_SECOND = 22050
SCALE = [0, 2, 4, 7, 9, 12, 14, 16]


class Album:
    """All songs."""

    def __init__(self, seconds):
        songs = [Song(number, seconds) for number in range(48)]
        self.songs = {song.identifier: song for song in songs}

    def song(self, identifier):
        return self.songs.get(identifier)

    def find(self, term):
        """The songs in which every word of a term occurs."""
        words = term.casefold().split()
        return [song for song in self.songs.values() if all(word in song.text for word in words)]


class Song:
    def __init__(self, number, seconds):
        self.identifier = f"song{number + 1:02}"
        self.number, self.seconds = number, seconds
        self.artist = ARTISTS[number % len(ARTISTS)]
        self.title = f"{FIRST_WORDS[number // 6]} {LAST_WORDS[(number + number // 8) % 8]}"
        self.text = f"{self.title} {self.artist}".casefold()
        self.sound = None

    def result(self, base):
        """As the iTunes Search API tells it."""
        return {
            "wrapperType": "track",
            "kind": "song",
            "trackId": self.number + 1,
            "artistName": self.artist,
            "trackName": self.title,
            "previewUrl": f"{base}/preview/{self.identifier}.wav",
            "artworkUrl100": f"{base}/artwork/{self.identifier}.png",
            "trackTimeMillis": 150_000 + self.number * 3_700,
        }

    def artwork(self):
        """A PNG of 100 by 100 pixels: a sun over the sea."""
        chance = random.Random(self.number)
        sky, sea = [[chance.randrange(60, 200) for _ in range(3)] for _ in range(2)]
        centre, radius = chance.randrange(25, 75), chance.randrange(12, 26)
        rows = bytearray()
        for y in range(100):
            rows.append(0)
            for x in range(100):
                base = sky if y < 60 else sea
                inside = (x - centre) ** 2 + (y - 50) ** 2 < radius**2
                light = 70 if inside and (y < 60 or y % 4 < 2) else y * 40 // 100 - 20
                rows += bytes(max(0, min(255, part + light)) for part in base)
        return png.encode(100, 100, rows)

    def audio(self):
        """A WAV file with a melody of its own; made when it is first asked for."""
        if self.sound is None:
            chance = random.Random(self.number)
            notes = [chance.choice(SCALE) for _ in range(8)]
            samples = b"".join(note(notes[beat % 8]) for beat in range(self.seconds * 2))
            self.sound = wave_header(len(samples)) + samples
        return self.sound


def wave_header(length):
    form = struct.pack("<HHIIHH", 1, 1, SAMPLES_PER_SECOND, SAMPLES_PER_SECOND * 2, 2, 16)
    return b"RIFF" + struct.pack("<I", 36 + length) + b"WAVEfmt \x10\0\0\0" + form + (
        b"data" + struct.pack("<I", length)
    )


def note(step, cache={}):
    """Half a second of a tone that fades."""
    if step not in cache:
        frequency = 220 * 2 ** (step / 12)
        count = SAMPLES_PER_SECOND // 2
        turn = 2 * math.pi * frequency / SAMPLES_PER_SECOND
        fade = 5 / count
        samples = array.array("h")
        for index in range(count):
            rise = min(1, index / 200)
            samples.append(int(12000 * rise * math.exp(-fade * index) * math.sin(turn * index)))
        cache[step] = samples.tobytes()
    return cache[step]
