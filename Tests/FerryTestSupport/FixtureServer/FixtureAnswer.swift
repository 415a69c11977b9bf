/// How a ``FixtureServer`` answers one request: what is served, and what goes wrong with it.
///
/// Start from ``file(_:)``, ``content(_:)``, ``status(_:fields:body:)``, ``redirect(to:status:)``,
/// ``retryLater(status:after:)`` or ``script(_:)`` and add faults:
///
///     .file(file).stalling(after: 1 << 20, at: gate)
///     .content(.text("hello")).chunked().with(fields: [("ETag", "\"x\"")])
package struct FixtureAnswer: Sendable {
    let respond: @Sendable (FixtureRequest) -> FixtureResponse

    /// Makes an answer from a closure, called on the connection's thread.
    package init(respond: @escaping @Sendable (FixtureRequest) -> FixtureResponse) {
        self.respond = respond
    }

    // MARK: What is served

    /// A file with its validators; ranges are honoured as the file says.
    package static func file(_ file: FixtureFile) -> FixtureAnswer {
        FixtureAnswer { file.response(to: $0) }
    }

    /// 200 with these bytes, no validators and no ranges.
    package static func content(_ content: FixtureContent) -> FixtureAnswer {
        FixtureAnswer { _ in FixtureResponse(status: 200, content: content) }
    }

    /// A status with fields and a short text as its body.
    package static func status(
        _ status: Int,
        fields: [(name: String, value: String)] = [],
        body: String = ""
    ) -> FixtureAnswer {
        FixtureAnswer { _ in FixtureResponse(status: status, content: .text(body)) }
            .with(fields: fields)
    }

    /// A redirect to a URL or path.
    package static func redirect(to location: String, status: Int = 302) -> FixtureAnswer {
        .status(status, fields: [("Location", location)], body: "It is elsewhere.")
    }

    /// A refusal for the time being; `after` is the value of `Retry-After`, seconds or a date.
    package static func retryLater(status: Int = 503, after: String? = nil) -> FixtureAnswer {
        .status(status, fields: after.map { [("Retry-After", $0)] } ?? [], body: "Not now.")
    }

    /// The content in gzip's format, announced as such whatever the request accepts.
    package static func gzip(_ content: FixtureContent) -> FixtureAnswer {
        .coded(content, by: .gzip)
    }

    /// The content in a coding, announced as such whatever the request accepts.
    package static func coded(
        _ content: FixtureContent,
        by coding: FixtureCoding
    ) -> FixtureAnswer {
        .content(.bytes(coding.encode(content.bytes)))
            .with(fields: [("Content-Encoding", coding.rawValue)])
    }

    /// A body of zeros that never ends, and grows by a factor of 159 when it is unpacked.
    package static let endlessGzip = FixtureAnswer.script([
        .text("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"),
        .send(FixtureGzip.beginningOfZeros),
        .sendForever((0..<1000).flatMap { _ in FixtureGzip.zeros }),
    ])

    /// A header that never ends, in fields of ordinary length.
    package static let endlessHeader = FixtureAnswer.script([
        .text("HTTP/1.1 200 OK\r\n"),
        .sendForever(Array("X-More: and more and more and more and more and more\r\n".utf8)),
    ])

    /// A header whose first field never ends.
    package static let endlessField = FixtureAnswer.script([
        .text("HTTP/1.1 200 OK\r\nX-Long: "),
        .sendForever([UInt8](repeating: UInt8(ascii: "x"), count: 1024)),
    ])

    /// Interim responses (1xx) without end.
    package static let endlessInterim = FixtureAnswer.script([
        .sendForever(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
    ])

    /// Exactly these steps and nothing else.
    package static func script(_ steps: [FixtureStep]) -> FixtureAnswer {
        FixtureAnswer { _ in FixtureResponse(status: 0) }.changing { $0.script = steps }
    }

    // MARK: What goes wrong

    /// Ends the connection in good order after that many bytes of this answer's body.
    package func dropping(after byteCount: Int64) -> FixtureAnswer {
        changing { $0.incidents.append((byteCount, .drop)) }
    }

    /// Resets the connection after that many bytes; the client gets as many of them at most.
    package func resetting(after byteCount: Int64) -> FixtureAnswer {
        changing { $0.incidents.append((byteCount, .reset)) }
    }

    /// Sends that many bytes, and the rest once the gate is open.
    package func stalling(after byteCount: Int64, at gate: FixtureGate) -> FixtureAnswer {
        changing { $0.incidents.append((byteCount, .stall(gate))) }
    }

    /// Sends nothing before the gate is open.
    package func waiting(at gate: FixtureGate) -> FixtureAnswer {
        changing { $0.gate = gate }
    }

    /// Announces that length; a body that is shorter ends with the connection.
    package func claiming(contentLength: Int64) -> FixtureAnswer {
        changing { $0.framing = .claimed(contentLength: contentLength) }
    }

    /// Sends the body no faster than this.
    package func paced(bytesPerSecond: Int64) -> FixtureAnswer {
        changing { $0.bytesPerSecond = bytesPerSecond }
    }

    // MARK: What it looks like

    /// Sends the body in chunks, without a length.
    package func chunked(
        byteCount: Int = 4096,
        trailers: [(name: String, value: String)] = []
    ) -> FixtureAnswer {
        changing {
            $0.framing = .chunked(byteCount: byteCount)
            $0.trailers = trailers
        }
    }

    /// Sends the body without a length, up to the end of the connection.
    package func untilClose() -> FixtureAnswer {
        changing { $0.framing = .untilClose }
    }

    /// Sends further fields.
    package func with(fields: [(name: String, value: String)]) -> FixtureAnswer {
        changing { $0.fields += fields }
    }

    /// Sends an interim response first.
    package func after(
        interim status: Int,
        fields: [(name: String, value: String)] = []
    ) -> FixtureAnswer {
        changing { $0.interim.append((status, fields)) }
    }

    /// Changes the response in any other way.
    package func changing(
        _ change: @escaping @Sendable (inout FixtureResponse) -> Void
    ) -> FixtureAnswer {
        FixtureAnswer { [respond] request in
            var response = respond(request)
            change(&response)
            return response
        }
    }
}
