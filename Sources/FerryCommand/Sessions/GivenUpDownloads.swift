import Ferry
import FerrySystem
import Foundation

/// The resume data of downloads that were given up, by which the same command continues them.
///
/// The bytes stay on the disk where they are; the resume data says where that is.
struct GivenUpDownloads: Sendable {
    private struct Entry: Codable {
        let url: URL
        let fields: [String: String]
        let resumeData: Data
    }

    private let path: String

    /// Those of the user.
    ///
    /// - Parameter environment: The process's environment.
    init(environment: [String: String]) {
        path = BaseDirectories(environment: environment).stateHome + "/ferry/given-up"
    }

    /// Keeps the resume data of a download; keeping it again changes nothing.
    ///
    /// - Parameters:
    ///   - resumeData: The resume data.
    ///   - request: The download's request.
    ///   - id: The download.
    /// - Throws: An error when it cannot be stored.
    func keep(_ resumeData: Data, of request: URLRequest, id: TransferRow.ID) throws {
        guard let url = request.url else { return }
        let entry = Entry(
            url: url,
            fields: request.allHTTPHeaderFields ?? [:],
            resumeData: resumeData
        )
        // Only the user may read it: an address and fields may have passwords.
        _ = try Directory(opening: path, creatingPrivate: true)
        try JSONEncoder().encode(entry).write(
            to: URL(filePath: "\(path)/\(id.session)-\(id.taskIdentifier)"),
            options: .atomic
        )
    }

    /// Takes the resume data of a download with the same request away, which uses it up.
    ///
    /// - Parameter request: The request.
    /// - Returns: The resume data; nil if no such download was given up.
    func take(for request: URLRequest) -> Data? {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        for name in names.sorted() {
            let file = "\(path)/\(name)"
            guard let content = FileManager.default.contents(atPath: file),
                let entry = try? JSONDecoder().decode(Entry.self, from: content),
                entry.url == request.url, entry.fields == request.allHTTPHeaderFields ?? [:]
            else { continue }
            // Of two processes, one takes it.
            guard (try? FileManager.default.removeItem(atPath: file)) != nil else { continue }
            return entry.resumeData
        }
        return nil
    }
}
