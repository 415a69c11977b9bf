import FerrySystem
import FoundationEssentials
import Testing

/// What libFuzzer has found worth keeping is run once: `make fuzz` looks for more.
@Suite(.timeLimit(.minutes(5))) struct CorpusTests {
    @Test(arguments: FuzzTarget.all)
    func `a target has no finding in its corpus`(of target: FuzzTarget) throws {
        let inputs = try Self.inputs(of: target)
        try #require(!inputs.isEmpty)
        for (number, bytes) in inputs.enumerated() {
            do throws(Finding) {
                try target.run(FuzzInput(bytes))
            } catch {
                Issue.record("\(target.name), line \(number + 1): \(error)")
            }
        }
    }

    @Test func `each corpus belongs to a target`() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.path("Corpora"))
        #expect(Set(names) == Set(FuzzTarget.all.map { "\($0.name).txt" }))
    }

    /// The inputs of a corpus, which has a line of base64 for each.
    private static func inputs(of target: FuzzTarget) throws -> [[UInt8]] {
        let text = try String(contentsOfFile: path("Corpora/\(target.name).txt"), encoding: .utf8)
        return try text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map {
            Array(try #require(Data(base64Encoded: String($0))))
        }
    }

    private static func path(_ name: String) -> String {
        let package = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent()
        return package.appending(path: name).path
    }
}
