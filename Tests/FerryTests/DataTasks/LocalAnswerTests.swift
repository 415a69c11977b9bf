import Ferry
import FerryTestSupport
import Foundation
import Testing

@Suite("Data tasks without a server", .timeLimit(.minutes(1)))
struct LocalAnswerTests {
    private let recorder = DataRecorder()
    private let session: URLSession

    init() throws {
        _ = Home.path
        session = recorder.makeSession()
    }

    @Test func `a data URL is its own answer`() async throws {
        let url = try #require(URL(string: "data:text/plain;base64,bGEgbGE="))
        session.dataTask(with: url).resume()
        await recorder.waitForEnd()
        #expect(recorder.story == ["response 0", "data", "metrics 1", "completed"])
        #expect(recorder.text == "la la")
        let (location, _) = try await session.download(from: url)
        #expect(try Data(contentsOf: location) == Data("la la".utf8))
        try FileManager.default.removeItem(at: location)
    }

    @Test func `a file URL works in data and download tasks`() async throws {
        let directory = try TemporaryDirectory()
        let file = URL(fileURLWithPath: directory.path + "/a song.txt")
        try Data("la la".utf8).write(to: file)
        let (data, response) = try await session.data(from: file)
        #expect(data == Data("la la".utf8))
        #expect(response.expectedContentLength == 5)
        session.downloadTask(with: file).resume()
        await recorder.wait(for: "completed")
        #expect(recorder.file == Data("la la".utf8))
        let missing = URL(fileURLWithPath: directory.path + "/missing")
        await expectURLError(.fileDoesNotExist) { try await session.data(from: missing) }
    }
}
