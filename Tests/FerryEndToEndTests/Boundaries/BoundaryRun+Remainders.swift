import FerrySystem
import FerryTestSupport
import FoundationEssentials

@testable import FerryTransfer

/// What a kill has left.
extension BoundaryRun {
    /// A file of which ferryd had something when it was killed.
    struct Remainder {
        var path: String
        var written: ByteRanges
        var wholeByteCount: Int64
        /// How many requests there had been by then.
        var firstRequest: Int
    }

    /// The files that have begun to arrive, and what the next ferryd can know of them.
    func findRemainders() async throws -> [Remainder] {
        try await waitForLateRequests()
        let requestCount = server.requests.count
        let names = ["picture", "last", BoundaryScript.divided]
        var remainders: [Remainder] = []
        for (index, item) in script.items.enumerated() where names.contains(item.name) {
            let file = "CFNetworkDownload_00000\(index + 1).tmp"
            guard let written = try await written(of: item, in: file) else { continue }
            let remainder = Remainder(
                path: item.path,
                written: written,
                wholeByteCount: item.content.byteCount,
                firstRequest: requestCount
            )
            remainders.append(remainder)
        }
        return remainders
    }

    /// Returns when the server has read all that the killed ferryd had sent.
    ///
    /// A connection that it gave up may have sent a request that the server reads later.
    private func waitForLateRequests() async throws {
        // The kernel hands over connections in their order: the server knows all that came before this one.
        let curl = ["--silent", "--output", "/dev/null", server.url("/nothing")]
        _ = try await TestProcess.run("/usr/bin/curl", curl, environment: [:])
        try await server.waitUntil { $0.openConnectionCount == 0 }
    }

    /// `nil` when there is no such file.
    private func written(of item: BoundaryScript.Item, in name: String) async throws -> ByteRanges?
    {
        let directory = try? Directory(opening: home.state + "/downloads")
        guard let status = try directory?.status(of: name) else { return nil }
        guard item.name == BoundaryScript.divided else {
            return ByteRanges(status.size > 0 ? [0..<status.size] : [])
        }
        // Whoever reads a file's record may mend it: that is left to the next ferryd.
        let copy = home.path + "/copies"
        _ = try Directory(opening: copy, creatingPrivate: true)
        let path = "\(home.state)/downloads/\(name)"
        let copying = try await TestProcess.run("/bin/cp", ["-a", path, copy], environment: [:])
        guard copying.exit == .exited(status: 0) else { return nil }
        return try await Self.recorded(in: name, of: copy)
    }

    @LoopActor
    private static func recorded(in name: String, of path: String) throws -> ByteRanges {
        let file = PartialFile(directory: try Directory(opening: path), name: name)
        return try file.recover(checkpoint: nil)?.writtenBytes ?? ByteRanges()
    }
}

extension BoundaryRun.Remainder {
    /// What is wrong with the ranges that were asked for after the kill, in their order.
    func faults(of ranges: [String?]) -> [String] {
        let isDivided = path == "/" + BoundaryScript.divided
        guard isDivided else { return ranges.first.map { fault(ofFirst: $0) } ?? [] }
        return ranges.flatMap { range -> [String] in
            guard let asked = asked(by: range) else { return ["\(range ?? "") is no range"] }
            let twice = written.ranges.map { $0.clamped(to: asked) }.filter { !$0.isEmpty }
            // Of a file that was whole, the last byte is asked for.
            guard !twice.isEmpty, asked.count > 1 else { return [] }
            return ["\(path) had \(written.ranges), and then \(range ?? "all") was asked for"]
        }
    }

    private func fault(ofFirst range: String?) -> [String] {
        // Of a file that was whole, the last byte is asked for.
        let first = min(written.prefixByteCount, wholeByteCount - 1)
        guard range != (first == 0 ? nil : "bytes=\(first)-") else { return [] }
        return ["\(path) had \(written.byteCount) bytes, and then \(range ?? "all") was asked for"]
    }

    private func asked(by range: String?) -> Range<Int64>? {
        guard let range else { return 0..<wholeByteCount }
        let bounds = range.dropFirst("bytes=".count).split(separator: "-").map { Int64($0) }
        guard let first = bounds.first.flatMap({ $0 }) else { return nil }
        let last = bounds.count > 1 ? bounds[1] : wholeByteCount - 1
        return last.flatMap { first <= $0 ? first..<($0 + 1) : nil }
    }
}
