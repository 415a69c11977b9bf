import FerrySystem
import FerryTransfer
import FoundationEssentials
import Testing

@Suite(.timeLimit(.minutes(5))) struct CheckpointTests {
    private static let boot = BootIdentifier(rawValue: "this")
    private static let otherBoot = BootIdentifier(rawValue: "other")

    private func checkpoint(
        validator: Validator? = .strongETag("\"a\""),
        synchronized: Int64 = 50,
        written: Int64 = 80,
        total: Int64? = 100
    ) -> Checkpoint {
        Checkpoint(
            generation: 1,
            version: ResourceVersion(
                validator: validator,
                totalByteCount: total,
                url: "http://host/file"
            ),
            synchronizedByteCount: synchronized,
            writtenByteCount: written,
            bootIdentifier: Self.boot
        )
    }

    @Test func `in the same run of the kernel every byte in the file counts`() {
        for size in [50, 80, 90, 100] as [Int64] {
            #expect(checkpoint().trustedByteCount(currentBoot: Self.boot, fileSize: size) == size)
        }
    }

    @Test(arguments: [.max, .max - 1, .max - 4096, .max - 8192] as [Int64])
    func `a length beyond every disk is no reason to stop`(total: Int64) {
        let bytes = checkpoint(total: total).trustedBytes(
            currentBoot: Self.otherBoot,
            fileSize: 80,
            written: nil
        )
        #expect(bytes == ByteRanges([0..<50]))
    }

    @Test func `a file shorter than what was synchronised is not as it was left`() {
        #expect(checkpoint().trustedByteCount(currentBoot: Self.boot, fileSize: 49) == 0)
        #expect(checkpoint().trustedByteCount(currentBoot: Self.otherBoot, fileSize: 49) == 0)
    }

    @Test(arguments: [(50, 50), (80, 50), (100, 50)] as [(Int64, Int64)])
    func `after a restart only synchronised bytes count`(size: Int64, trusted: Int64) {
        let count = checkpoint().trustedByteCount(currentBoot: Self.otherBoot, fileSize: size)
        #expect(count == trusted)
    }

    @Test func `without a validator nothing counts`() {
        let none = checkpoint(validator: nil)
        #expect(none.trustedByteCount(currentBoot: Self.boot, fileSize: 80) == 0)
        #expect(none.trustedByteCount(currentBoot: Self.otherBoot, fileSize: 80) == 0)
    }

    @Test func `a file longer than the resource is not ours`() {
        #expect(checkpoint().trustedByteCount(currentBoot: Self.boot, fileSize: 101) == 0)
        #expect(checkpoint().trustedByteCount(currentBoot: Self.otherBoot, fileSize: 101) == 0)
        let endless = checkpoint(total: nil)
        #expect(endless.trustedByteCount(currentBoot: Self.boot, fileSize: 101) == 101)
    }

    @Test func `a negative number counts nothing`() {
        let broken = checkpoint(synchronized: -5)
        #expect(broken.trustedByteCount(currentBoot: Self.otherBoot, fileSize: 80) == 0)
    }

    @Test func `a checkpoint comes back from JSON`() throws {
        var original = checkpoint()
        original.generation = .max
        original.fruitlessResumptionCount = 3
        let json = try JSONEncoder().encode(original)
        #expect(try JSONDecoder().decode(Checkpoint.self, from: json) == original)
    }
}
