import Testing

@testable import FerryCommand

@Suite(.timeLimit(.minutes(5))) struct TransferSpeedTests {
    private func speed(_ samples: (Int64, Double)...) -> TransferSpeed {
        samples.reduce(into: TransferSpeed()) { speed, sample in
            speed.update(byteCount: sample.0, at: .seconds(sample.1))
        }
    }

    @Test func `one figure is no speed`() {
        #expect(speed((1000, 0)).bytesPerSecond(at: .zero) == nil)
    }

    @Test func `bytes that were there before do not count`() {
        #expect(speed((5000, 0), (5100, 1)).bytesPerSecond(at: .seconds(1)) == 100)
    }

    @Test func `USE-4: a second that is a half-life past weighs half`() throws {
        let speed = speed((0, 0), (200, 2), (1000, 4))
        // 100 bytes a second once, and 400 twice.
        let measured = try #require(speed.bytesPerSecond(at: .seconds(4)))
        #expect(abs(measured - 300) < 0.001)
    }

    @Test(arguments: [0.2, 0.5, 1, 2, 5])
    func `USE-4: a moment without bytes at the start does not halve the speed for seconds`(
        time: Double
    ) throws {
        // The first two figures come in one breath; from then on it is 1000 bytes a second.
        let figures = stride(from: 0.0, through: time, by: 0.1).map { second in
            (Int64(second * 1000), 0.01 + second)
        }
        let speed = figures.reduce(into: speed((0, 0))) { speed, figure in
            speed.update(byteCount: figure.0, at: .seconds(figure.1))
        }
        let measured = try #require(speed.bytesPerSecond(at: .seconds(time)))
        #expect(abs(measured - 1000) < 1000 * 0.02 / time, "\(measured)")
    }

    @Test func `USE-4: of less than a tenth of a second nothing is said`() {
        #expect(speed((0, 0), (60_000, 0.05)).bytesPerSecond(at: .seconds(0.05)) == nil)
    }

    @Test func `how often it is told does not matter`() throws {
        let coarse = try #require(
            speed((0, 0), (100, 1), (900, 5)).bytesPerSecond(at: .seconds(5))
        )
        let fine = try #require(
            speed((0, 0), (100, 1), (300, 2), (500, 3), (700, 4), (900, 5))
                .bytesPerSecond(at: .seconds(5))
        )
        #expect(abs(coarse - fine) < 0.001)
    }

    @Test func `a start from zero begins a new mean`() {
        let restarted = speed((0, 0), (1000, 1), (0, 2))
        #expect(restarted.bytesPerSecond(at: .seconds(2)) == nil)
    }

    @Test func `two figures of one instant are measured together with the next`() {
        let speed = speed((0, 0), (100, 0), (300, 1))
        #expect(speed.bytesPerSecond(at: .seconds(1)) == 300)
    }

    @Test func `without news for long a speed tells nothing`() {
        let speed = speed((0, 0), (100, 1))
        #expect(speed.bytesPerSecond(at: .seconds(3.9)) == 100)
        #expect(speed.bytesPerSecond(at: .seconds(4)) == nil)
        #expect(speed.timeLeft(for: 100, at: .seconds(4)) == nil)
    }

    @Test func `the time left is rounded up`() {
        #expect(speed((0, 0), (100, 1)).timeLeft(for: 150, at: .seconds(1)) == .seconds(2))
        #expect(speed((0, 0), (100, 1)).timeLeft(for: -1, at: .seconds(1)) == .zero)
    }

    @Test func `next to nothing a second leaves no time worth showing`() {
        #expect(speed((0, 0), (0, 1)).timeLeft(for: 100, at: .seconds(1)) == nil)
    }
}
