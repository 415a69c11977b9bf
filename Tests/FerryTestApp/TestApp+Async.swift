import Ferry
import Foundation

/// The app without a delegate: a loop over its session's events, or calls that wait for files.
enum AsyncTestApp: String, Sendable {
    case events, files

    func run(_ options: TestAppOptions, _ events: EventWriter) async throws {
        let configuration = URLSessionConfiguration.background(withIdentifier: options.session)
        configuration.transferOptions.maximumConnectionsPerDownload = options.connections
        let session = URLSession(configuration: configuration)
        switch self {
        case .events: try await readEvents(of: session, options, events)
        case .files: try await waitForFiles(of: session, options, events)
        }
        await session.flush()
        guard Application.shared.launchReason == .user else { return events.write("handled") }
        // The test kills it.
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }

    private func readEvents(
        of session: URLSession,
        _ options: TestAppOptions,
        _ events: EventWriter
    ) async throws {
        let urls = await session.allTasks.isEmpty ? options.urls.map(\.url) : []
        for url in urls.compactMap({ URL(string: $0) }) {
            let task = session.downloadTask(with: url)
            task.taskDescription = url.lastPathComponent
            task.resume()
        }
        await session.flush()
        events.write("ready")
        let directory = URL(filePath: options.directory)
        for try await event in session.events {
            switch event {
            case .file(let task, let location):
                let target = directory.appending(path: task.taskDescription ?? "unnamed")
                do {
                    try? FileManager.default.removeItem(at: target)
                    try FileManager.default.moveItem(at: location, to: target)
                } catch {
                    events.write("not-moved \(task.taskIdentifier) \(error)")
                }
            case .end(let task, let error):
                let code = error.map { "\(($0 as NSError).code)" } ?? "ok"
                events.write("completed \(task.taskIdentifier) \(code)")
            case .finishedEvents: return
            case .progress, .data, .challenge: break
            }
        }
    }

    private func waitForFiles(
        of session: URLSession,
        _ options: TestAppOptions,
        _ events: EventWriter
    ) async throws {
        let urls = options.urls.compactMap { URL(string: $0.url) }
        let (begun, continuation) = AsyncStream.makeStream(of: Int.self)
        await withTaskGroup { group in
            var begun = begun.makeAsyncIterator()
            for (index, url) in urls.enumerated() {
                group.addTask {
                    let target = URL(filePath: options.directory)
                        .appending(path: url.lastPathComponent)
                    do {
                        try await session.file(from: url, to: target) { _ in
                            continuation.yield(index)
                        }
                        events.write("completed \(index + 1) ok")
                    } catch {
                        events.write("completed \(index + 1) \((error as NSError).code)")
                    }
                    continuation.yield(index)
                }
                // Tasks have the numbers of their files.
                while let number = await begun.next(), number != index {}
            }
            await session.flush()
            events.write("ready")
        }
    }
}
