import FerrySystem
import FoundationEssentials
import Testing

/// What libFuzzer has found worth keeping is run once: `make fuzz` looks for more.
@Suite(.timeLimit(.minutes(5))) struct CorpusTests {
    @Test(arguments: FuzzTarget.all)
    func `a target has no finding in its corpus`(of target: FuzzTarget) throws {
        let files = try Self.files(in: "Corpora/\(target.name)")
        try #require(!files.isEmpty)
        for (name, bytes) in files {
            do throws(Finding) {
                try target.run(FuzzInput(bytes))
            } catch {
                Issue.record("\(target.name)/\(name): \(error)")
            }
        }
    }

    @Test func `each corpus belongs to a target`() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.path("Corpora"))
        #expect(Set(names) == Set(FuzzTarget.all.map(\.name)))
    }

    private static func files(in folder: String) throws -> [(name: String, bytes: [UInt8])] {
        let folder = path(folder)
        return try FileManager.default.contentsOfDirectory(atPath: folder).sorted().map { name in
            let data = try Data(contentsOf: URL(filePath: "\(folder)/\(name)"))
            return (name, Array(data))
        }
    }

    private static func path(_ name: String) -> String {
        let package = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent()
        return package.appending(path: name).path
    }
}
