import Ferry
import Foundation
import Synchronization
import Testing

@testable import FerryCommand

/// Background sessions that are played: each download ends as it is told, or not at all.
final class PlayedSessions: Sendable {
    private struct State {
        var events: [String] = []
        var requests: [URLRequest] = []
        var options: [TransferOptions] = []
        var sessionOptions: [SessionOptions] = []
        var destinations: [Destination] = []
        var files: [String] = []
        var commands: [EndCommand?] = []
    }

    private let outcomes: [Outcome?]
    private let daemon: PlayedDaemon
    private let state = Mutex(State())

    /// Sessions whose downloads end one by one with these outcomes; nil for one that goes on.
    init(_ outcomes: [Outcome?], in daemon: PlayedDaemon) {
        self.outcomes = outcomes
        self.daemon = daemon
    }

    /// What was done with the sessions.
    var events: [String] { state.withLock { $0.events } }
    /// What was asked for.
    var requests: [URLRequest] { state.withLock { $0.requests } }
    /// How it was to be carried out.
    var options: [TransferOptions] { state.withLock { $0.options } }
    /// What holds for all downloads of each session.
    var sessionOptions: [SessionOptions] { state.withLock { $0.sessionOptions } }
    /// Where the files were to go.
    var destinations: [Destination] { state.withLock { $0.destinations } }

    /// The files that were to be sent.
    var files: [String] { state.withLock { $0.files } }

    /// Opens a session.
    var opener: OpenSession.Opener {
        { identifier, options, _, report in
            self.state.withLock { $0.sessionOptions.append(options) }
            self.record("open \(identifier.prefix(4))")
            return OpenSession(
                identifier: identifier,
                download: { request, options, destination in
                    self.state.withLock { $0.options.append(options) }
                    self.state.withLock { $0.destinations.append(destination) }
                    return try self.start(request, in: identifier, report)
                },
                upload: { path, request, options, command in
                    self.state.withLock {
                        $0.options.append(options)
                        $0.files.append(path)
                        $0.commands.append(command)
                    }
                    return try self.start(request, in: identifier, report)
                },
                settle: { self.record("settle") },
                finish: { self.record("finish") }
            )
        }
    }

    private func start(
        _ request: URLRequest,
        in session: String,
        _ report: CommandSession.Report
    ) throws -> TransferRow.ID {
        let index = state.withLock { state in
            state.requests.append(request)
            return state.requests.count - 1
        }
        let id = TransferRow.ID(application: "ferry", session: session, taskIdentifier: index)
        if let outcome = outcomes[index] {
            report(id, request.url, outcome)
        } else {
            let url = try #require(request.url?.absoluteString)
            let transfer = try TransferDaemon.Transfer
                .sample(index + 1, application: "ferry", session: session, task: index, url: url)
            daemon.add(transfer)
        }
        return id
    }

    private func record(_ event: String) {
        state.withLock { $0.events.append(event) }
    }
}
