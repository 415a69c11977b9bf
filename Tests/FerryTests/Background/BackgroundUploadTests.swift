import FerrySystem
import FerryTestSupport
import FerryWire
import Foundation
import Testing

@testable import Ferry

/// Uploads in background sessions, with a daemon that tests speak for.
@Suite("Background uploads", .timeLimit(.minutes(1)))
struct BackgroundUploadTests {
    private let daemon: ScriptedDaemon
    private let app: BackgroundApp
    private let recorder = DataRecorder()
    private let place: TemporaryDirectory
    private let file: URL

    init() async throws {
        daemon = try await ScriptedDaemon.started()
        app = BackgroundApp(daemon)
        place = try TemporaryDirectory()
        file = URL(fileURLWithPath: try place.write("la la la", to: "song"))
    }

    private func request(_ method: String = "PUT") throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: "https://example.com/songs")))
        request.httpMethod = method
        request.httpBody = Data("ignored".utf8)
        return request
    }

    private func session(of app: BackgroundApp) -> URLSession {
        let configuration = URLSessionConfiguration.background(withIdentifier: "tracks")
        return URLSession(
            backgroundIdentifier: "tracks",
            configuration: configuration.snapshot,
            delegate: recorder,
            among: app.sessions
        )
    }

    @Test func `DL-8: the daemon gets the file with the call, and the path`() async throws {
        let session = session(of: app)
        let task = session.uploadTask(with: try request(), fromFile: file)
        #expect(task.countOfBytesExpectedToSend == 8)
        task.resume()
        await session.flush()
        #expect(daemon.calls.requests == ["CreateUpload 1", "Resume 1"])
        await LoopActor.run {
            #expect(daemon.uploads[file.path] == Array("la la la".utf8))
            let request = daemon.sessions["tracks"]?.tasks[1]?.originalRequest.value
            #expect(request?.method == "PUT")
            #expect(request?.body == nil)
        }
    }

    @Test func `BG-4: the file is opened when the task is made`() async throws {
        let session = session(of: app)
        let task = session.uploadTask(with: try request(), fromFile: file)
        try FileManager.default.removeItem(at: file)
        task.resume()
        await session.flush()
        await LoopActor.run { #expect(daemon.uploads[file.path] == Array("la la la".utf8)) }
    }

    @Test func `a call that is repeated brings the file once more`() async throws {
        await LoopActor.run { daemon.behaviours["CreateUpload"] = [.keepSilent] }
        let session = session(of: app)
        session.uploadTask(with: try request(), fromFile: file).resume()
        await daemon.calls.wait(for: "CreateUpload")
        try await LoopActor.run {
            daemon.uploads = [:]
            try daemon.die()
            try daemon.start()
        }
        await session.flush()
        #expect(daemon.calls.requests.count { $0 == "CreateUpload 1" } == 2)
        await LoopActor.run {
            #expect(daemon.uploads[file.path]?.isEmpty == false || daemon.uploads.count == 1)
        }
    }

    @Test func `many uploads reach the daemon with their own files, in their order`() async throws {
        let session = session(of: app)
        for number in 1...50 {
            let path = try place.write("song \(number)", to: "song-\(number)")
            session.uploadTask(with: try request(), fromFile: URL(fileURLWithPath: path)).resume()
        }
        await session.flush()
        await LoopActor.run {
            #expect(daemon.uploads.count == 50)
            for (path, content) in daemon.uploads {
                let number = path.split(separator: "-").last.map(String.init) ?? ""
                #expect(String(decoding: content, as: UTF8.self) == "song \(number)")
            }
        }
    }

    @Test(arguments: [
        ("missing", URLError.Code.fileDoesNotExist), (".", .fileIsDirectory),
    ])
    func `BG-4: a file that cannot be opened fails its task when it is resumed`(
        name: String,
        code: URLError.Code
    ) async throws {
        let file = URL(fileURLWithPath: place.directory.path(of: name))
        let task = session(of: app).uploadTask(with: try request(), fromFile: file)
        #expect(task.state == .suspended)
        task.resume()
        await recorder.waitForEnd()
        #expect(recorder.error?.code == code)
        #expect(daemon.calls.requests.isEmpty)
    }

    @Test func `DL-5: a GET fails before anything is asked for`() async throws {
        session(of: app).uploadTask(with: try request("GET"), fromFile: file).resume()
        await recorder.waitForEnd()
        #expect(recorder.error?.code == .dataLengthExceedsMaximum)
        #expect(daemon.calls.requests.isEmpty)
    }

    @Test func `BG-14: the answer's body comes, but not that there is one`() async throws {
        let session = session(of: app)
        let task = session.uploadTask(with: try request(), fromFile: file)
        task.resume()
        await session.flush()
        await LoopActor.run {
            daemon.emit(
                Wire.Event(kind: .progress, task: 1, receivedByteCount: 0, sentByteCount: 5),
                in: "tracks"
            )
        }
        let answer = try await daemon.finish(1, in: "tracks", contents: "thanks", status: 201)
        await daemon.calls.wait(for: "Acknowledge")
        #expect(recorder.story == ["sent", "data", "metrics 0", "completed"])
        #expect(recorder.text == "thanks")
        #expect(recorder.sent.suffix(2) == [8, 8])
        #expect((task.response as? HTTPURLResponse)?.statusCode == 201)
        #expect(task.countOfBytesSent == 8)
        #expect(task.countOfBytesReceived == 6)
        // It is the daemon's, and goes with the acknowledgement.
        #expect(FileManager.default.fileExists(atPath: answer.path))
    }

    @Test func `an answer that cannot be read is an error`() async throws {
        let session = session(of: app)
        session.uploadTask(with: try request(), fromFile: file).resume()
        await session.flush()
        await LoopActor.run {
            daemon.emit(
                Wire.Event(kind: .completed, task: 1, sentByteCount: 8, path: "/nowhere/at/all"),
                in: "tracks"
            )
        }
        await recorder.waitForEnd()
        #expect(recorder.error?.code == .cannotOpenFile)
        #expect(recorder.story.last == "completed -3001")
        await daemon.calls.wait(for: "Acknowledge")
    }

    @Test func `BG-26 to BG-28: a new launch finds its uploads again`() async throws {
        let first = session(of: app)
        for name in ["one", "two"] {
            let task = first.uploadTask(with: try request(), fromFile: file)
            task.taskDescription = name
            task.resume()
        }
        await first.flush()
        try await app.die(with: daemon)
        await LoopActor.run {
            daemon.sessions["tracks"]?.tasks[1]?.upload?.sentByteCount = 3
        }
        let session = session(of: BackgroundApp(daemon))
        let tasks = await session.allTasks
        #expect(tasks.map(\.taskDescription) == ["one", "two"])
        #expect(tasks.allSatisfy { $0 is URLSessionUploadTask })
        #expect(tasks.first?.countOfBytesSent == 3)
        #expect(tasks.first?.countOfBytesExpectedToSend == 8)
        #expect(tasks.first?.originalRequest?.httpMethod == "PUT")
        let (data, uploads, downloads) = await session.tasks
        #expect(uploads.count == 2)
        #expect(downloads.isEmpty && data.allSatisfy { $0 is URLSessionUploadTask })
        try await daemon.finish(2, in: "tracks", contents: "late")
        await recorder.wait(for: "data")
        #expect(recorder.text == "late")
    }

    // MARK: What is forbidden

    @Test func `BG-3: data cannot be uploaded in the background`() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let url = try #require(URL(string: "http://localhost/"))
            let configuration = URLSessionConfiguration.background(withIdentifier: "a")
            let session = URLSession(configuration: configuration)
            _ = session.uploadTask(with: URLRequest(url: url), from: Data())
        }
        let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(
            output.contains("Upload tasks from NSData are not supported in background sessions.")
        )
    }

    @Test func `BG-3: nor can a stream`() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let url = try #require(URL(string: "http://localhost/"))
            let configuration = URLSessionConfiguration.background(withIdentifier: "a")
            let session = URLSession(configuration: configuration)
            _ = session.uploadTask(withStreamedRequest: URLRequest(url: url))
        }
        let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(output.contains("Upload tasks in background sessions must be from a file."))
    }

    @Test func `BG-2: uploads in the background have no completion handlers`() async {
        await #expect(processExitsWith: .failure) {
            let url = try #require(URL(string: "http://localhost/"))
            let configuration = URLSessionConfiguration.background(withIdentifier: "a")
            _ = URLSession(configuration: configuration).uploadTask(
                with: URLRequest(url: url),
                fromFile: URL(fileURLWithPath: "/dev/null")
            ) { _, _, _ in }
        }
    }

    @Test func `BG-2: uploads in the background have no async form`() async {
        await #expect(processExitsWith: .failure) {
            let url = try #require(URL(string: "http://localhost/"))
            let configuration = URLSessionConfiguration.background(withIdentifier: "a")
            _ = try await URLSession(configuration: configuration).upload(
                for: URLRequest(url: url),
                fromFile: URL(fileURLWithPath: "/dev/null")
            )
        }
    }
}
