import FerryHTTP
import FerrySystem
import FerryTestSupport
import FerryTransfer
import Foundation
import Testing

@testable import Ferry

/// Requests, responses and storages for tests of cookies.
struct CookieSamples {
    static let url = "https://www.example.com/dir/file"

    let store: CookieStore
    let storage: HTTPCookieStorage

    /// A store with a storage of its own, in memory unless one is given.
    init(
        storage: HTTPCookieStorage? = nil,
        change: (URLSessionConfiguration) -> Void = { _ in },
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws {
        let configuration = URLSessionConfiguration.ephemeral
        if let storage { configuration.httpCookieStorage = storage }
        change(configuration)
        self.storage = try #require(configuration.httpCookieStorage)
        store = CookieStore(configuration: configuration.snapshot, now: now)
    }

    /// Has a response set cookies.
    func set(_ fields: [String], at url: String = url, mainDocument: String? = nil) throws {
        store.store(
            HTTPResponseHead(
                status: 200,
                fields: fields.map { HTTPField(name: "set-cookie", value: $0) },
                url: url
            ),
            to: TransferRequest(url: url),
            mainDocumentURL: try mainDocument.map { try #require(URL(string: $0)) }
        )
    }

    /// Has a response set one cookie.
    func set(_ field: String, at url: String = url) throws { try set([field], at: url) }

    /// What is sent to a URL.
    func sent(to url: String = url) -> String? {
        store.field(for: TransferRequest(url: url))?.value
    }

    /// Asks what is sent to a URL, as the event loop does.
    @LoopActor
    func beginLookUp(_ url: String = url) -> AsyncValue<String?> {
        let found = AsyncValue<String?>()
        store.lookUpField(for: TransferRequest(url: url)) { found.set($0?.value) }
        return found
    }

    /// What is sent to a URL, as the event loop finds it out.
    @LoopActor
    func lookUp(_ url: String) async -> String? { await beginLookUp(url).value }

    // MARK: - Files

    /// A storage with a file of its own.
    static func fileStorage(_ name: String = UUID().uuidString) -> HTTPCookieStorage {
        _ = directory
        return .sharedCookieStorage(forGroupContainerIdentifier: name)
    }

    /// The storage that another process would find, which reads the file of the storage with a name.
    static func storageOfAnotherProcess(_ name: String) throws -> HTTPCookieStorage {
        let copy = UUID().uuidString
        try FileManager.default.copyItem(at: try file(name), to: try file(copy))
        return fileStorage(copy)
    }

    /// Where the cookies of a storage are.
    static func file(_ name: String) throws -> URL {
        let names = try FileManager.default.contentsOfDirectory(atPath: directory)
        return URL(fileURLWithPath: "\(directory)/\(try #require(names.first))/.cookies.\(name)")
    }

    /// Instead of the user's own.
    private static let directory: String = {
        let path = Home.path + "/data"
        ProcessEnvironment.set("XDG_DATA_HOME", path)
        return path
    }()
}
