import Ferry
import Foundation

/// What a server answers to an upload, as far as it is shown.
struct Answer: Hashable, Sendable {
    /// The number of bytes that are kept.
    private static let limit = 64 << 10

    private var content = Data()
    private var omittedCount = 0

    /// Adds what has arrived.
    mutating func append(_ data: Data) {
        let kept = data.prefix(Self.limit - content.count)
        content.append(kept)
        omittedCount += data.count - kept.count
    }

    /// The answer as text, which says how much of it is left out.
    var text: String {
        let text = String(decoding: content, as: UTF8.self)
        return omittedCount == 0 ? text : "\(text)\n[\(omittedCount) more bytes]"
    }
}

extension Outcome {
    /// The outcome of an upload.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - answer: The response's body; nil if it has none.
    init(_ response: URLResponse?, _ answer: Answer?) {
        let reason = (response as? HTTPURLResponse).flatMap(Outcome.Reason.init(response:))
        self = reason.map(Outcome.failed) ?? .sent(answer: answer?.text ?? "")
    }
}
