import Testing

@testable import FerryCommand

@Suite(.timeLimit(.minutes(5))) struct FiguresTests {
    @Test(arguments: [
        (0, "0 B"), (1, "1 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1536, "1.5 KiB"),
        (102_297, "99.9 KiB"), (102_400, "100 KiB"), (1_048_000, "1023 KiB"),
        (1_048_575, "1.0 MiB"), (268_435_456, "256 MiB"), (5_368_709_120, "5.0 GiB"),
        (.max, "8.0 EiB"), (-1, "0 B"),
    ])
    func `bytes are shown in three digits or so`(count: Int64, text: String) {
        #expect(Figures.byteCount(count) == text)
    }

    @Test(arguments: [
        (0.4, "0 B/s"), (12_897_485.0, "12.3 MiB/s"), (.infinity, "0 B/s"), (.nan, "0 B/s"),
        (-3, "0 B/s"), (1e30, "888 PiB/s"),
    ])
    func `a speed is bytes a second, whatever the number`(speed: Double, text: String) {
        #expect(Figures.speed(speed) == text)
    }

    @Test(arguments: [
        (0.0, "0s"), (0.9, "0s"), (59, "59s"), (60, "1m 00s"), (125, "2m 05s"), (3599, "59m 59s"),
        (3600, "1h 00m"), (86_399, "23h 59m"), (90_000, "1d 01h"), (-5, "0s"),
    ])
    func `a duration is shown in its two largest units`(seconds: Double, text: String) {
        #expect(Figures.duration(.seconds(seconds)) == text)
    }

    @Test(arguments: [
        (0, 0, 100), (0, 10, 0), (999, 1000, 99), (1000, 1000, 100), (1001, 1000, 100),
        (-1, 10, 0), (.max, .max, 100),
    ])
    func `only all of it is 100 percent`(part: Int64, whole: Int64, percent: Int) {
        #expect(Figures.percent(part, of: whole) == percent)
    }
}
