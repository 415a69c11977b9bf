import FoundationEssentials

@testable import FerryWire

extension FuzzTarget {
    /// Messages in a stream of bytes are the same however the bytes arrive.
    static let messageSplitting = FuzzTarget("message-splitting") { input throws(Finding) in
        var input = input
        let limit = Int(input.takeNumber())
        var steps = (0..<4).map { _ in Int(input.takeNumber() % 32) }
        // Bytes arrive at least one by one.
        if steps.allSatisfy({ $0 == 0 }) { steps = [1] }
        let bytes = input.rest
        let expected = messages(in: bytes, limit: limit)
        let found = messages(in: bytes, limit: limit, arrivingIn: steps)
        try expectSame(found, expected, "messages of \(bytes) in \(steps)")
    }

    /// The messages of a whole stream, up to one that is too long.
    private static func messages(in bytes: [UInt8], limit: Int) -> [Data?] {
        var parts = bytes.split(separator: 0, omittingEmptySubsequences: false)
        let last = parts.removeLast()
        var messages: [Data?] = parts.prefix { $0.count <= limit }.map { Data($0) }
        if messages.count < parts.count || last.count > limit { messages.append(nil) }
        return messages
    }

    private static func messages(
        in bytes: [UInt8],
        limit: Int,
        arrivingIn steps: [Int]
    ) -> [Data?] {
        var splitter = MessageSplitter(limit: limit)
        var messages: [Data?] = []
        var rest = bytes[...]
        var turn = 0
        repeat {
            let part = rest.prefix(steps[turn % steps.count])
            rest = rest.dropFirst(part.count)
            turn += 1
            part.withUnsafeBytes { splitter.append($0) }
            do throws(MessageError) {
                while let message = try splitter.next() { messages.append(message) }
            } catch {
                return messages + [nil]
            }
        } while !rest.isEmpty
        return messages
    }
}
