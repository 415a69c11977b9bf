import Foundation
import Testing

@testable import Ferry

/// Files of background uploads that are opened when there is a descriptor for them.
@Suite(.serialized, .timeLimit(.minutes(1))) struct OutgoingFileTests {
    private let url = FileManager.default.temporaryDirectory
        .appending(path: "outgoing-\(UUID())")

    /// Makes files until there is no descriptor left, and a last one that waits for some.
    private func exhaust(_ opened: inout [OutgoingFile]) throws -> OutgoingFile {
        try Data([1]).write(to: url)
        while true {
            let file = try OutgoingFile(url)
            guard file.isReady else { return file }
            opened.append(file)
        }
    }

    private func open(_ file: OutgoingFile) async {
        await withCheckedContinuation { opened in file.open { opened.resume() } }
    }

    @Test func `SEC-6: a file that was changed before it could be opened is not sent`() async throws
    {
        defer { try? FileManager.default.removeItem(at: url) }
        var opened: [OutgoingFile] = []
        let late = try exhaust(&opened)
        try Data([1, 2]).write(to: url)
        opened = []
        await open(late)
        #expect(late.opened == nil)
        #expect(late.failure?.code == .cannotOpenFile)
    }

    @Test func `a file that cannot be opened takes no descriptor from others`() async throws {
        var opened: [OutgoingFile] = []
        var late = try exhaust(&opened)
        for _ in 0...opened.count {
            try FileManager.default.removeItem(at: url)
            opened.removeLast()
            await open(late)
            #expect(late.failure?.code == .fileDoesNotExist)
            late = try exhaust(&opened)
        }
        #expect(!opened.isEmpty)
        try FileManager.default.removeItem(at: url)
    }
}
