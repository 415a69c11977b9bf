/// One connection of an ``UploadServer``.
final class UploadConnection {
    private let socket: FixtureSocket
    private let version: Int
    private let limit: String?
    private let store: UploadStore
    private let behaviour: @Sendable (UploadServerRequest) -> UploadBehaviour
    private var received: [UInt8] = []

    init(
        socket: FixtureSocket,
        version: Int,
        limit: String?,
        store: UploadStore,
        behaviour: @escaping @Sendable (UploadServerRequest) -> UploadBehaviour
    ) {
        self.socket = socket
        self.version = version
        self.limit = limit
        self.store = store
        self.behaviour = behaviour
    }

    /// Serves requests until either side ends the connection.
    func serve() {
        while let request = readHead() {
            let (request, behaviour) = store.append(request, decidedBy: behaviour)
            guard handle(request, behaviour) else { return }
        }
    }

    // MARK: - Requests

    /// - Returns: Whether the connection is still of use.
    private func handle(_ request: UploadServerRequest, _ behaviour: UploadBehaviour) -> Bool {
        let identifier = Self.identifier(in: request.target)
        if let identifier, behaviour.forgets > 0 {
            store.change(identifier) { $0.bytes.removeLast(min(behaviour.forgets, $0.bytes.count)) }
        }
        if let status = behaviour.status {
            _ = request.method == "HEAD" || takeBody(of: request, cut: nil) { _ in true }
            let isBodiless = status == 204 || request.method == "HEAD"
            return answer(status, behaviour.fields, text: isBodiless ? "" : "no")
        }
        if let identifier {
            checkVersion(of: request)
            _ = store.takeTurn(of: identifier)
        }
        switch (request.method, identifier) {
        case ("OPTIONS", _): return answer(204, limit.map { [("Upload-Limit", $0)] } ?? [])
        case ("HEAD", let identifier?): return notify(identifier, behaviour)
        case ("PATCH", let identifier?): return append(request, to: identifier, behaviour)
        case ("DELETE", let identifier?):
            store.remove(identifier)
            return answer(204)
        default: return create(request, behaviour)
        }
    }

    private static let prefix = "/resources/"

    private static func identifier(in target: String) -> Int? {
        target.hasPrefix(prefix) ? Int(target.dropFirst(prefix.count)) : nil
    }

    private func checkVersion(of request: UploadServerRequest) {
        if request["Upload-Draft-Interop-Version"] != "\(version)" {
            store.violated("\(request.method) without the version")
        }
    }

    private func create(_ request: UploadServerRequest, _ behaviour: UploadBehaviour) -> Bool {
        let identifier = store.make(for: request.target)
        let isOffered = request["Upload-Draft-Interop-Version"] == "\(version)"
        if isOffered, completeness(of: request) != true {
            store.violated("a creation that does not say that it is complete")
        }
        if behaviour.announces, isOffered || behaviour.announcedVersion != nil {
            announce(identifier, behaviour)
        }
        return take(request, to: identifier, isLast: true, behaviour)
    }

    private func announce(_ identifier: Int, _ behaviour: UploadBehaviour) {
        var fields = [
            ("Upload-Draft-Interop-Version", "\(behaviour.announcedVersion ?? version)"),
            ("Location", behaviour.location ?? "\(Self.prefix)\(identifier)"),
        ]
        if let limit { fields.append(("Upload-Limit", limit)) }
        send(head: "HTTP/1.1 104 Upload Resumption Supported", fields)
    }

    private func notify(_ identifier: Int, _ behaviour: UploadBehaviour) -> Bool {
        guard let resource = store.resource(identifier) else { return answer(404) }
        let offset = behaviour.claimedOffset ?? resource.bytes.count
        store.change(identifier) { $0.toldOffset = offset }
        var fields = [
            ("Upload-Offset", "\(offset)"),
            ("Cache-Control", "no-store"),
            completeness(behaviour.claimedCompleteness ?? resource.isComplete),
        ]
        if let limit { fields.append(("Upload-Limit", limit)) }
        return answer(version == 5 ? 200 : 204, fields + behaviour.fields, hasBody: false)
    }

    private func append(
        _ request: UploadServerRequest,
        to identifier: Int,
        _ behaviour: UploadBehaviour
    ) -> Bool {
        let type = request["Content-Type"]
        if version >= 6, type != "application/partial-upload" {
            store.violated("PATCH with the type \(type ?? "none")")
            return answer(415)
        }
        guard let isLast = completeness(of: request) else {
            store.violated("PATCH without completeness")
            return answer(400)
        }
        guard let resource = store.resource(identifier) else {
            _ = takeBody(of: request, cut: nil) { _ in true }
            return answer(404)
        }
        guard request["Upload-Offset"] == "\(resource.bytes.count)", !resource.isComplete else {
            // What was still on its way may have come since its client was told where to go on.
            let offset = request["Upload-Offset"] ?? "none"
            if offset != "\(resource.toldOffset ?? -1)" { store.violated("PATCH at \(offset)") }
            return answer(409)
        }
        if let most = greatestAppend, Int(request["Content-Length"] ?? "") ?? .max > most {
            store.violated("PATCH with more than \(most) bytes")
            return answer(413)
        }
        return take(request, to: identifier, isLast: isLast, behaviour)
    }

    private func take(
        _ request: UploadServerRequest,
        to identifier: Int,
        isLast: Bool,
        _ behaviour: UploadBehaviour
    ) -> Bool {
        let turn = store.takeTurn(of: identifier)
        var total = 0
        let isTaken = takeBody(of: request, cut: behaviour.cut) { bytes in
            store.received(bytes, for: identifier, inTurn: turn)
            total += bytes.count
            guard let hold = behaviour.hold, total >= hold.byteCount else { return true }
            // What a client that has gone has left in the kernel is not taken.
            if case .gate = socket.wait(for: hold.gate) { return true }
            return false
        }
        guard isTaken else {
            if behaviour.isReset { socket.resetAtEnd() } else { endInOrder() }
            return false
        }
        if isLast { store.change(identifier) { if $0.turn == turn { $0.isComplete = true } } }
        guard !behaviour.losesAnswer else { return false }
        let count = store.resource(identifier)?.bytes.count ?? 0
        let fields = [
            ("Upload-Offset", "\(behaviour.claimedOffset ?? count)"),
            completeness(behaviour.claimedCompleteness ?? isLast),
        ]
        return answer(isLast ? 200 : 201, fields + behaviour.fields, text: isLast ? "thanks" : "")
    }

    // MARK: - Fields

    private func completeness(_ isComplete: Bool) -> (String, String) {
        version == 3
            ? ("Upload-Incomplete", isComplete ? "?0" : "?1")
            : ("Upload-Complete", isComplete ? "?1" : "?0")
    }

    private func completeness(of request: UploadServerRequest) -> Bool? {
        let value = request[version == 3 ? "Upload-Incomplete" : "Upload-Complete"]
        switch value {
        case "?1": return version != 3
        case "?0": return version == 3
        default: return nil
        }
    }

    private var greatestAppend: Int? {
        let members = (limit ?? "").split(separator: ",")
        let member = members.first { $0.contains("max-append-size=") }
        return member.flatMap { Int($0.drop { $0 != "=" }.dropFirst()) }
    }

    // MARK: - Bytes

    private func readHead() -> UploadServerRequest? {
        while true {
            if let end = Self.emptyLine(in: received) {
                let head = Array(received[..<end])
                received.removeFirst(end + 4)
                guard let request = FixtureRequest(head: head, connection: 0) else { return nil }
                return UploadServerRequest(
                    method: request.method,
                    target: request.target,
                    fields: request.fields
                )
            }
            guard receive() else { return nil }
        }
    }

    private static func emptyLine(in bytes: [UInt8]) -> Int? {
        guard bytes.count >= 4 else { return nil }
        return (0...bytes.count - 4).first { index in
            bytes[index] == 13 && bytes[index + 1] == 10 && bytes[index + 2] == 13
                && bytes[index + 3] == 10
        }
    }

    private func receive() -> Bool {
        while true {
            switch socket.receive(into: &received) {
            case .bytes: return true
            case .ended: return false
            case .wouldBlock:
                guard case .ready = socket.waitUntilReadable() else { return false }
            }
        }
    }

    /// Ends such that the client gets all that was sent: bytes that are not read make the end a reset.
    private func endInOrder() {
        socket.endSending()
        while receive() { received = [] }
    }

    /// Takes a body as it comes.
    ///
    /// - Returns: Whether it has come to its end; not when it was cut.
    private func takeBody(
        of request: UploadServerRequest,
        cut: Int?,
        _ take: (ArraySlice<UInt8>) -> Bool
    ) -> Bool {
        var left = cut ?? .max
        if request["Transfer-Encoding"] == "chunked" {
            while let line = takeLine(), let count = Int(line, radix: 16) {
                guard takeBytes(count, &left, take) else { return false }
                guard takeLine() != nil else { return false }
                if count == 0 { return true }
            }
            return false
        }
        return takeBytes(Int(request["Content-Length"] ?? "") ?? 0, &left, take)
    }

    private func takeBytes(
        _ count: Int,
        _ left: inout Int,
        _ take: (ArraySlice<UInt8>) -> Bool
    ) -> Bool {
        var missing = count
        while missing > 0 {
            guard left > 0 else { return false }
            if received.isEmpty, !receive() { return false }
            let piece = received.prefix(min(missing, left))
            guard take(piece) else { return false }
            missing -= piece.count
            left -= piece.count
            received.removeFirst(piece.count)
        }
        return true
    }

    private func takeLine() -> String? {
        while true {
            if let end = received.firstIndex(of: 10) {
                let line = String(decoding: received[..<end].dropLast(), as: UTF8.self)
                received.removeFirst(end + 1)
                return line
            }
            guard receive() else { return nil }
        }
    }

    private func answer(
        _ status: Int,
        _ fields: [(String, String)] = [],
        text: String = "",
        hasBody: Bool = true
    ) -> Bool {
        let length = status == 204 || !hasBody ? [] : [("Content-Length", "\(text.utf8.count)")]
        return send(head: "HTTP/1.1 \(status) Upload", fields + length, text: text)
    }

    @discardableResult
    private func send(
        head: String,
        _ fields: [(String, String)],
        text: String = ""
    ) -> Bool {
        let lines = [head] + fields.map { "\($0.0): \($0.1)" } + ["", text]
        return socket.sendAll(Array(lines.joined(separator: "\r\n").utf8))
    }
}

/// How an ``UploadServer`` treats one request; by default as the draft says.
package struct UploadBehaviour: Sendable {
    /// How many bytes of the body are taken before the connection ends.
    package var cut: Int?
    /// After how many bytes of the body reading waits, and what for.
    package var hold: (byteCount: Int, gate: FixtureGate)?
    /// Whether the connection ends by a reset.
    package var isReset = false
    /// Whether the whole body is taken, and the connection ends in place of the answer.
    package var losesAnswer = false
    /// Whether the interim response is sent that tells of the resource.
    package var announces = true
    /// The version in that, in place of the server's.
    package var announcedVersion: Int?
    /// Where the resource is by that, in place of where it is.
    package var location: String?
    /// The status of the answer, in place of what would be done; the body is not kept.
    package var status: Int?
    /// Further fields of the answer.
    package var fields: [(name: String, value: String)] = []
    /// The offset in the answer, in place of the true one.
    package var claimedOffset: Int?
    /// What the answer says about completeness, in place of the truth.
    package var claimedCompleteness: Bool?
    /// How many of the bytes that are there are forgotten before the request is looked at.
    package var forgets = 0

    /// As the draft says.
    package init() {}

    /// Ends the connection when that many bytes of the body have come.
    package static func cutting(after byteCount: Int, isReset: Bool = false) -> UploadBehaviour {
        var behaviour = UploadBehaviour()
        behaviour.cut = byteCount
        behaviour.isReset = isReset
        return behaviour
    }

    /// Answers with a status and does nothing.
    package static func answering(
        _ status: Int,
        _ fields: [(name: String, value: String)] = []
    ) -> UploadBehaviour {
        var behaviour = UploadBehaviour()
        behaviour.status = status
        behaviour.fields = fields
        return behaviour
    }

    /// Changes it in any way.
    package static func with(
        _ change: (inout UploadBehaviour) -> Void
    ) -> UploadBehaviour {
        var behaviour = UploadBehaviour()
        change(&behaviour)
        return behaviour
    }
}
