"""Large pictures that are made up, each always in the same way: a sun over the sea."""

import bisect
import math

import png

WIDTH, HEIGHT, HORIZON = 1800, 1200, 780
# For each picture: where the sun stands, and the colours of the sun, of the sky above, at the horizon,
# and of the sea.
PICTURES = {
    "morning.png": (450, 640, (255, 244, 214), (88, 124, 190), (250, 178, 140), (44, 84, 128)),
    "evening.png": (1250, 700, (255, 226, 160), (62, 40, 96), (240, 104, 72), (40, 34, 78)),
    "night.png": (980, 260, (236, 240, 255), (6, 10, 30), (38, 52, 96), (8, 16, 40)),
}


# Distances from the sun's column: each pixel where the sun is, and fewer the further away.
DISTANCES = [step + max(0, step - 96) ** 2 / 20 for step in range(256)]


class Gallery:
    """The pictures, each made when it is first asked for."""

    def __init__(self):
        self.made = {}

    def picture(self, name):
        """A PNG of six and a half megabytes; None when there is none of that name."""
        if name in PICTURES and name not in self.made:
            self.made[name] = png.encode(WIDTH, HEIGHT, rows(*PICTURES[name]), level=0)
        return self.made.get(name)


def rows(sun_x, sun_y, sun, zenith, haze, sea):
    # A row only says which colours there are at the distances, so that a quarter of a million have to be
    # worked out and not two million.
    columns = bytes(min(255, bisect.bisect(DISTANCES, abs(x - sun_x))) for x in range(-64, WIDTH + 64))
    result = bytearray()
    for y in range(HEIGHT):
        if y < HORIZON:
            ground = mix(zenith, haze, (y / HORIZON) ** 2)
            lights, start = sky_lights(abs(y - sun_y)), 64
        else:
            depth = (y - HORIZON) / (HEIGHT - HORIZON)
            ground = mix(haze, sea, min(1, 0.35 + depth * 1.4))
            lights, start = sea_lights(y, depth), 64 + round((4 + 28 * depth) * wave(y, depth))
        line = columns[start : start + WIDTH]
        row = bytearray(WIDTH * 3)
        for channel in range(3):
            low, high = ground[channel], sun[channel]
            row[channel::3] = line.translate(bytes(int(low + (high - low) * light) for light in lights))
        result.append(0)
        result += row
    return result


def sky_lights(height):
    """The sun, and a glow around it, by distance."""
    distances = [math.hypot(distance, height) for distance in DISTANCES]
    return [1 if distance < 88 else 0.75 * math.exp(-(distance - 88) / 190) for distance in distances]


def sea_lights(y, depth):
    """The sun's way on the water, which widens and breaks up."""
    width, strength = 60 + 260 * depth, 0.65 - 0.35 * depth + 0.2 * wave(y * 3, depth)
    return [max(0, strength) * math.exp(-((distance / width) ** 2)) for distance in DISTANCES]


def wave(y, depth):
    return math.sin(y / (3 + 14 * depth)) * math.sin(y / 41)


def mix(one, other, share):
    return [a + (b - a) * share for a, b in zip(one, other)]
