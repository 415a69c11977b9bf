import Ferry
import FerryTransfer
import Foundation
@preconcurrency import Glibc
import Synchronization

/// The file to which the cookies are added that servers set.
final class CookieJar: Sendable {
    /// A file that is not a jar.
    struct Fault: Error, CustomStringConvertible {
        /// The reason.
        let description: String
    }

    /// The absolute path of the file.
    let path: String
    private let lock = Mutex(())

    /// A jar, which is made with the first cookie.
    init(path: String) { self.path = path }

    /// Adds the cookies of all responses of a task, those of redirects included.
    ///
    /// - Parameter metrics: The metrics of the task.
    /// - Throws: The error of a file that cannot be read or written; it stays as it is.
    func add(_ metrics: URLSessionTaskMetrics) throws {
        let now = Date()
        let cookies = metrics.transactionMetrics.flatMap { transaction -> [Cookie] in
            guard let response = transaction.response as? HTTPURLResponse, let url = response.url,
                let origin = CookieOrigin(url),
                let field = response.value(forHTTPHeaderField: "Set-Cookie")
            else { return [] }
            return Self.values(field).compactMap(SetCookie.init)
                .compactMap { Cookie($0, from: origin, at: now) }
        }
        if !cookies.isEmpty { try lock.withLock { _ in try add(cookies, at: now) } }
    }

    private func add(_ cookies: [Cookie], at now: Date) throws {
        let present = try? Data(contentsOf: URL(filePath: path))
        guard present != nil || access(path, F_OK) != 0 else {
            throw Fault(description: "it cannot be read")
        }
        guard var file = CookieFile(present.map(Array.init) ?? []) else {
            throw Fault(description: "it is no file of cookies in Netscape's format")
        }
        file.add(cookies, at: now)
        // Cookies are as secret as passwords, and half a file of them would be none.
        let temporary = "\(path).\(UUID().uuidString)"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Fault(description: String(cString: strerror(errno))) }
        defer { close(descriptor) }
        let failure = Array(file.text.utf8).withUnsafeBytes { Console.write($0, to: descriptor) }
        guard failure == nil, rename(temporary, path) == 0 else {
            let reason = String(cString: strerror(failure ?? errno))
            unlink(temporary)
            throw Fault(description: reason)
        }
    }

    /// Returns the values of several Set-Cookie fields, which Foundation joins with commas; dates have commas, too.
    static func values(_ field: String) -> [String] {
        var values: [String] = []
        for part in field.split(separator: ",", omittingEmptySubsequences: false) {
            let name = part.prefix { $0 != "=" && $0 != ";" }
            let isBeginning = name.count < part.count && part.dropFirst(name.count).first == "="
            let isToken = RequestFields.isToken(name.drop { $0 == " " })
            if !values.isEmpty, !(isBeginning && isToken) {
                values[values.count - 1] += ",\(part)"
            } else {
                values.append(String(part.drop { $0 == " " }))
            }
        }
        return values
    }
}
