import Ferry
import FerrySystem
import Foundation
import Synchronization

/// The resume data of downloads that were given up, by which the same command continues them.
///
/// The bytes stay on the disk where they are; the resume data says where that is.
final class GivenUpDownloads: Sendable {
    private struct Key: Hashable {
        let url: URL?
        let fields: [String: String]
    }

    private struct Entry: Codable {
        let url: URL
        let fields: [String: String]
        let resumeData: Data
    }

    private let path: String
    /// The files by their requests; nil until they are needed.
    private let files = Mutex<[Key: [String]]?>(nil)

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
        guard let url = request.url, Self.isContinued(request) else { return }
        let entry = Entry(
            url: url,
            fields: request.allHTTPHeaderFields ?? [:],
            resumeData: resumeData
        )
        files.withLock { $0 = nil }
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
        guard Self.isContinued(request) else { return nil }
        let key = Key(url: request.url, fields: request.allHTTPHeaderFields ?? [:])
        return files.withLock { files in
            var known = files ?? readAll()
            defer { files = known }
            while let file = known[key]?.popLast() {
                guard let entry = Self.entry(of: file) else { continue }
                // Of two processes, one takes it.
                guard (try? FileManager.default.removeItem(atPath: file)) != nil else { continue }
                return entry.resumeData
            }
            return nil
        }
    }

    /// Whether a request is one that can be continued: others may do something each time.
    private static func isContinued(_ request: URLRequest) -> Bool {
        request.httpMethod ?? "GET" == "GET" && request.httpBody == nil
    }

    /// Reads whose resume data there is; the first one of a request is last.
    private func readAll() -> [Key: [String]] {
        var files: [Key: [String]] = [:]
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        for name in names.sorted().reversed() {
            let file = "\(path)/\(name)"
            guard let entry = Self.entry(of: file) else { continue }
            files[Key(url: entry.url, fields: entry.fields), default: []].append(file)
        }
        return files
    }

    private static func entry(of file: String) -> Entry? {
        FileManager.default.contents(atPath: file)
            .flatMap { try? JSONDecoder().decode(Entry.self, from: $0) }
    }
}
