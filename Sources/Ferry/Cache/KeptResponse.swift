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

    /// What it counts in memory: its body, and about what an object with fields needs.
    var memoryCost: Int { response.data.count + 1024 + 512 * (response.userInfo?.count ?? 0) }

    /// Whether a use has to be marked: a minute or more after the last mark, or when the clock was set back.
    static func isDue(lastMark: Date, now: Date) -> Bool {
        !(0..<60).contains(now.timeIntervalSince(lastMark))
    }
}
