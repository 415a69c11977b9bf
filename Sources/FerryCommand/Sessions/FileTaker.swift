import Ferry
import FerrySystem
import FerryTransfer
import Foundation
@preconcurrency import Glibc

/// Moves the finished files that a session delivers to their destinations.
///
/// What can pass is waited for: a full disk, one that can only be read, one that is missing. What cannot is a failure, and
/// the file is kept where the failure says.
struct FileTaker: Sendable {
    /// The directory for files that cannot be moved to their destinations.
    let refuge: String
    /// The time after which a file that waits is tried again if nothing has changed: not every obstacle reports its end.
    var pause = Duration.seconds(30)
    /// Called with a transfer, the requested URL, and what its complete file waits for.
    var whenWaiting: @Sendable (TransferRow.ID, _ url: URL?, Obstacle) -> Void = { _, _, _ in }

    /// A taker for the current user.
    ///
    /// - Parameter environment: The process's environment.
    init(environment: [String: String]) {
        refuge = BaseDirectories(environment: environment).dataHome + Self.refugeName
    }

    private static let refugeName = "/ferry/unplaced"

    /// Whether a file is in the directory for files that cannot be moved to their destinations.
    static func isRefuge(of path: String) -> Bool {
        URL(filePath: path).deletingLastPathComponent().path.hasSuffix(refugeName)
    }

    /// Moves a task's file to the destination in its description; waits until that is possible.
    ///
    /// - Parameters:
    ///   - location: The file; it may be gone afterwards.
    ///   - taskDescription: The task's description.
    ///   - response: The task's response.
    ///   - url: The requested URL.
    ///   - notice: Called when the file has to wait, once for each reason.
    /// - Returns: The outcome for the file.
    /// - Throws: ``FileError`` when the file could not be moved anywhere; it then stays where it was.
    func take(
        _ location: URL,
        taskDescription: String?,
        response: URLResponse?,
        url: URL?,
        whenWaiting notice: (Obstacle) -> Void = { _ in }
    ) throws(FileError) -> Outcome {
        let response = response as? HTTPURLResponse
        let destination = Destination(taskDescription: taskDescription)
        // The body is an error page, not the requested file, or empty.
        let failure = Outcome(withoutFile: response, destination)
        if let failure, destination?.keepsErrors != true || response?.statusCode == 304 {
            return failure
        }
        let name = Self.name(destination, response, url)
        let attributes = Placement.Attributes(
            permissions: destination?.permissions ?? 0o600,
            group: destination?.group,
            modificationTime: destination?.keepsTime == true ? response?.modificationTime : nil,
            extended: destination?.keepsOrigin == true ? Self.origin(url, response) : [:],
            precedence: destination?.precedence ?? .both,
            begun: destination?.begun
        )
        do {
            return try waiting(in: destination?.directory ?? refuge, notice) {
                let directory = try destination?.open() ?? openRefuge()
                if let path = Placement.remaining(in: directory, name, attributes) {
                    return .unchanged(path: path)
                }
                let saved = try save(location, to: directory, as: name, attributes)
                return failure?.keeping(saved) ?? saved
            }
        } catch let failure where isGone(location, failure) {
            return .failed(.fileMissing(location.path))
        } catch let failure where destination != nil {
            let place = try waiting(in: refuge, notice) {
                try save(location, to: openRefuge(), as: name, attributes)
            }
            guard case .saved(let path, _) = place else { return place }
            return .failed(.cannotPlace("\(failure)", keptAs: path))
        }
    }

    /// Finds the file that an earlier process has saved without having reported that.
    ///
    /// - Parameters:
    ///   - taskDescription: The task's description.
    ///   - response: The task's response.
    ///   - url: The requested URL.
    ///   - byteCount: The file's size.
    /// - Returns: The outcome for the file.
    func find(
        taskDescription: String?,
        response: URLResponse?,
        url: URL?,
        byteCount: Int64
    ) -> Outcome {
        let response = response as? HTTPURLResponse
        let destination = Destination(taskDescription: taskDescription)
        if let outcome = Outcome(withoutFile: response, destination) { return outcome }
        let name = Self.name(destination, response, url)
        for path in [destination?.directory, refuge].compactMap({ $0 }) {
            guard let directory = try? Directory(opening: path) else { continue }
            let names = FileSystemNames(of: directory.descriptor)
            for spelling in name.spellings(for: names) {
                var (number, latest) = (0, String?.none)
                while let status = try? directory.status(of: spelling.numbered(number, names)) {
                    // Saving a file sets its change time. So a file that changed before the request is another one.
                    if status.isRegularFile, status.size == byteCount,
                        status.changeTime >= destination?.asked ?? .min
                    {
                        latest = directory.path(of: spelling.numbered(number, names))
                    }
                    number += 1
                }
                if let latest { return .saved(path: latest, byteCount: byteCount) }
            }
        }
        return .failed(.fileMissing(name.text))
    }

    /// Returns the extended attributes for where a file comes from and what it is, as curl and wget name them.
    private static func origin(_ url: URL?, _ response: HTTPURLResponse?) -> [String: String] {
        var address = url.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: true) }
        address?.user = nil
        address?.password = nil
        var attributes: [String: String] = [:]
        attributes["user.xdg.origin.url"] = address?.string
        attributes["user.mime_type"] = response?.mimeType
        return attributes
    }

    private static func name(
        _ destination: Destination?,
        _ response: HTTPURLResponse?,
        _ url: URL?
    ) -> FileName {
        let named = destination?.followsName == true ? response?.url ?? url : url
        return destination?.name.map(FileName.init(chosen:))
            ?? FileName(proposedBy: response, url: named)
    }

    /// Tries until nothing is in the way any more, or what is does not pass.
    ///
    /// - Parameters:
    ///   - directory: The directory in which a change may end a failure.
    ///   - notice: Called with each obstacle.
    ///   - body: One attempt.
    /// - Returns: The outcome of the last attempt.
    /// - Throws: ``FileError`` that does not pass.
    private func waiting(
        in directory: String,
        _ notice: (Obstacle) -> Void,
        _ body: () throws -> Outcome
    ) throws(FileError) -> Outcome {
        var reported: Obstacle?
        var changes: DiskChanges?
        var pause = pause
        while true {
            let obstacle: Obstacle
            switch Result(catching: body) {
            case .success(let outcome): return outcome
            case .failure(let known as Obstacle): obstacle = known
            case .failure(let error):
                let failure =
                    error as? FileError ?? FileError(call: "open", path: directory, errno: EIO)
                guard let passing = Obstacle(failure, in: directory) else { throw failure }
                obstacle = passing
            }
            if reported != obstacle {
                // The other directory was not observed yet.
                if reported?.directory != obstacle.directory { changes = nil }
                notice(obstacle)
                (reported, pause) = (obstacle, self.pause)
            }
            let limit = obstacle.isReported ? nil : pause
            if let changes {
                // The kernel reports a removed file before there is room: that takes a moment.
                pause =
                    changes.wait(atMost: limit)
                    ? min(self.pause, .milliseconds(250)) : min(pause * 4, self.pause * 10)
            }
            // From here on no change is missed: what the next attempt finds was so before, or ends the next wait.
            changes = DiskChanges(about: obstacle.directory, ignoring: Placement.hiddenPrefix)
        }
    }

    private func save(
        _ location: URL,
        to directory: Directory,
        as name: FileName,
        _ attributes: Placement.Attributes
    ) throws -> Outcome {
        let result = Result { () throws(FileError) in
            try Placement.move(location.path, to: directory, as: name, attributes)
        }
        switch result {
        case .success(let (path, byteCount)):
            return .saved(path: path, byteCount: byteCount)
        case .failure(let error):
            let isAbsent = error.errno == ENOENT && error.path == location.path
            guard isAbsent, !Self.isDirectory(of: location) else { throw error }
            // The finished file is on a disk that went away after it was delivered.
            let parent = location.deletingLastPathComponent().path
            throw Obstacle(missing: parent, of: parent)
        }
    }

    private func openRefuge() throws -> Directory {
        do throws(SystemCallError) {
            return try Directory(opening: refuge, creatingPrivate: true)
        } catch {
            throw FileError(error)
        }
    }

    /// Whether a failure means that the finished file itself was removed.
    private func isGone(_ location: URL, _ failure: FileError) -> Bool {
        failure.errno == ENOENT && failure.path == location.path && Self.isDirectory(of: location)
    }

    private static func isDirectory(of location: URL) -> Bool {
        access(location.deletingLastPathComponent().path + "/.", F_OK) == 0
    }
}

extension Outcome {
    /// The outcome of a response that has no file; nil for one that has.
    fileprivate init?(withoutFile response: HTTPURLResponse?, _ destination: Destination?) {
        guard let response else { return nil }
        if let reason = Outcome.Reason(response: response) {
            self = .failed(reason)
        } else if response.statusCode == 304 {
            let reason = Outcome.Reason(
                code: "httpStatus",
                message: "the server answered 304 Not Modified, without a file"
            )
            self = destination?.newerThan.map(Outcome.unchanged(path:)) ?? .failed(reason)
        } else {
            return nil
        }
    }
}

extension Outcome {
    /// A failure whose content was saved.
    fileprivate func keeping(_ saved: Outcome) -> Outcome {
        guard case .failed(var reason) = self, let path = saved.path else { return self }
        reason.message += "; what came with it is in \(path)"
        reason.keptPath = path
        return .failed(reason)
    }
}

extension HTTPURLResponse {
    /// When the content was last changed, in seconds since 1970 (RFC 9110 §8.8.2); nil if the server does not say.
    fileprivate var modificationTime: Int64? {
        value(forHTTPHeaderField: "Last-Modified").flatMap { HTTPDate($0)?.secondsSince1970 }
    }
}

extension Outcome.Reason {
    /// The reason of a finished file that was removed before it was saved.
    static func fileMissing(_ path: String) -> Outcome.Reason {
        Outcome.Reason(
            code: "fileMissing",
            message: "\(path) was complete, and was removed before it could be saved"
        )
    }
}

extension TransferRow.Hold {
    /// The reason of a complete file that cannot be saved yet.
    init(_ obstacle: Obstacle) {
        self.init(reason: "placing", text: obstacle.text)
    }
}
