import Ferry
import Foundation

/// Moves the finished files that a session delivers to their destinations.
struct FileTaker: Sendable {
    /// The directory for files that cannot be moved to their destinations.
    let refuge: String

    /// A taker for the current user.
    ///
    /// - Parameter environment: The process's environment.
    init(environment: [String: String]) {
        let home = environment["HOME"] ?? "/"
        let data = environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        refuge = "\(data ?? "\(home)/.local/share")/ferry/unplaced"
    }

    /// Moves a task's file to the destination in its description.
    ///
    /// - Parameters:
    ///   - location: The file; it may be gone afterwards.
    ///   - taskDescription: The task's description.
    ///   - response: The task's response.
    ///   - url: The requested URL.
    /// - Returns: The outcome for the file.
    /// - Throws: ``FileError`` when the file could not be moved anywhere; it then stays where it was.
    func take(
        _ location: URL,
        taskDescription: String?,
        response: URLResponse?,
        url: URL?
    ) throws(FileError) -> Outcome {
        let response = response as? HTTPURLResponse
        // The body is an error page, not the requested file.
        if let reason = response.flatMap(Outcome.Reason.init(response:)) { return .failed(reason) }
        let destination = Destination(taskDescription: taskDescription)
        let proposed = FileName(
            contentDisposition: response?.value(forHTTPHeaderField: "Content-Disposition"),
            url: url
        )
        let name = destination?.name.map(FileName.init(chosen:)) ?? proposed
        let permissions = destination?.permissions ?? 0o600
        guard let directory = destination?.directory else {
            return try save(location, to: refuge, as: name, permissions: permissions)
        }
        do {
            return try save(location, to: directory, as: name, permissions: permissions)
        } catch {
            let place = try save(location, to: refuge, as: name, permissions: permissions)
            guard case .saved(let path, _) = place else { return place }
            return .failed(.cannotPlace("\(error); the file is kept as \(path)"))
        }
    }

    private func save(
        _ location: URL,
        to directory: String,
        as name: FileName,
        permissions: UInt32
    ) throws(FileError) -> Outcome {
        let (path, byteCount) = try Placement.move(
            location.path,
            to: directory,
            as: name,
            permissions: permissions
        )
        return .saved(path: path, byteCount: byteCount)
    }
}
