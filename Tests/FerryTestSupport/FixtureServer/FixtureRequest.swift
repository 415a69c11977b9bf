/// A request as a ``FixtureServer`` saw it, and how far its answer has got.
package struct FixtureRequest: Sendable {
    /// How an answer stands.
    package enum State: Sendable, Hashable {
        /// The answer is on its way.
        case sending
        /// The client has taken nothing for a while, though there is more to send: it is paused.
        case blocked
        /// The answer waits for its ``FixtureGate``.
        case stalled
        /// All of the answer was sent.
        case sent
        /// The server dropped or reset the connection, as it was told.
        case dropped
        /// The client went away before the end of the answer.
        case abandoned
    }

    /// The request's place in ``FixtureServer/requests``.
    package internal(set) var index = 0
    /// The number of the connection that it came by, from 0 in the order of acceptance.
    package let connection: Int
    /// The method.
    package let method: String
    /// The path with the query, as sent.
    package let target: String
    /// The header's fields as sent, in their order.
    package let fields: [(name: String, value: String)]
    /// The body.
    package internal(set) var body: [UInt8]
    /// How the answer stands.
    package internal(set) var state = State.sending
    /// Whether more of the answer is to come.
    package var isBeingAnswered: Bool {
        switch state {
        case .sending, .blocked, .stalled: true
        case .sent, .dropped, .abandoned: false
        }
    }
    /// How many bytes of the answer's body the kernel has taken, without any framing.
    package internal(set) var sentBodyByteCount: Int64 = 0

    /// The path without the query.
    package var path: String { String(target.prefix { $0 != "?" }) }
    /// The `Range` field's value.
    package var range: String? { self["Range"] }

    /// The first value of a field, in whatever case.
    package subscript(name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// Reads a request's head, which ends before the empty line.
    init?(head: [UInt8], connection: Int) {
        let lines = String(decoding: head, as: UTF8.self)
            .split(separator: "\r\n", omittingEmptySubsequences: false)
        let start = (lines.first ?? "").split(separator: " ")
        guard start.count == 3 else { return nil }
        method = String(start[0])
        target = String(start[1])
        fields = lines.dropFirst().compactMap { line in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            return (String(line[..<colon]), String(value))
        }
        body = []
        self.connection = connection
    }
}
