import Foundation
import FoundationNetworking

/// A response as a ``URLCache`` holds it.
// @unchecked because Foundation does not declare `CachedURLResponse` as sendable; all it has is set once,
// when it is made, and nothing in Ferry changes what its user info holds.
struct KeptResponse: @unchecked Sendable {
    let response: CachedURLResponse
    /// When it was stored.
    let date: Date
    /// When its file was last marked as used.
    var marked: Date

    /// A response that is stored now.
    init(_ response: CachedURLResponse) {
        let now = Date()
        self.init(response, date: now, marked: now)
    }

    init(_ response: CachedURLResponse, date: Date, marked: Date) {
        self.response = response
        self.date = date
        self.marked = marked
    }

    /// Returns what it counts in memory: its body, its texts, and about what an object with fields needs.
    func memoryCost(for key: CacheKey) -> Int {
        let urls = key.url.utf8.count + (response.response.url?.absoluteString.utf8.count ?? 0)
        return response.data.count + 1024 + urls + fieldsCost + userInfoCost
    }

    private var fieldsCost: Int {
        let fields = (response.response as? HTTPURLResponse)?.allHeaderFields ?? [:]
        return fields.reduce(0) { $0 + Self.byteCount($1.key.base) + Self.byteCount($1.value) }
    }

    private var userInfoCost: Int { Self.byteCount(response.userInfo ?? [:]) }

    /// Returns about what a value takes; what is no text, data or collection is small, or only the app knows its type.
    private static func byteCount(_ value: Any) -> Int {
        switch value {
        case let text as String: text.utf8.count
        case let data as Data: data.count
        case let list as [Any]: list.reduce(0) { $0 + 32 + byteCount($1) }
        case let entries as [AnyHashable: Any]:
            entries.reduce(0) { $0 + 512 + byteCount($1.key.base) + byteCount($1.value) }
        default: 0
        }
    }

    /// Whether a use has to be marked: a minute or more after the last mark, or when the clock was set back.
    static func isDue(lastMark: Date, now: Date) -> Bool {
        !(0..<60).contains(now.timeIntervalSince(lastMark))
    }
}
