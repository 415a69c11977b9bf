import FerryHTTP
import Foundation
import FoundationNetworking

/// The latest response to a task, which becomes an object when somebody asks for it.
///
/// Most apps never look at the response of a download, and Foundation's object costs more than the
/// rest of what a short one needs in this process.
struct LatestResponse: Sendable {
    private var head: HTTPResponseHead?
    private var made: URLResponse?

    /// A response, or none yet.
    init(_ head: HTTPResponseHead? = nil) {
        self.head = head
    }

    /// A response that is an object already.
    init(_ response: URLResponse) {
        made = response
    }

    /// Whether there is one.
    var isThere: Bool { head != nil || made != nil }

    /// The same object for each call; nil before the first response, and when its URL cannot be read.
    mutating func get() -> URLResponse? {
        if made == nil { made = head.flatMap { HTTPURLResponse.make($0) } }
        return made
    }
}
