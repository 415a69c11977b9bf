import FerryTestSupport

extension LyingServer {
    private static func endless(
        _ behaviour: String,
        _ beginning: String,
        then bytes: [UInt8],
        gets outcome: Outcome
    ) -> LyingServer {
        let isInterruption = if case .interruption = outcome { true } else { false }
        return LyingServer(
            behaviour: behaviour,
            answers: [.script([.text(beginning), .sendForever(bytes)]), .oldFile],
            outcome: outcome,
            asks: isInterruption ? [whole, whole] : [whole]
        )
    }

    /// Servers that do not stop.
    ///
    /// A body that could be one is taken until the app has had enough and cancels.
    static let endless: [LyingServer] = [
        endless(
            "endless status line",
            "HTTP/1.1 200 ",
            then: filler,
            gets: .error(.badServerResponse)
        ),
        endless("endless fields", ok, then: field, gets: .error(.badServerResponse)),
        endless(
            "one endless field",
            ok + "X-Long: ",
            then: filler,
            gets: .error(.badServerResponse)
        ),
        endless(
            "endless continuation of a field",
            ok + "X-Long: x\r\n",
            then: Array(" and more\r\n".utf8),
            gets: .error(.badServerResponse)
        ),
        endless(
            "endless interim responses",
            "",
            then: Array("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n".utf8),
            gets: .error(.badServerResponse)
        ),
        endless(
            "endless garbage",
            "",
            then: filler,
            gets: .error(.badServerResponse)
        ),
        endless(
            "endless trailers",
            ok + chunked + "5\r\nhello\r\n0\r\n",
            then: field,
            gets: .error(.badServerResponse)
        ),
        endless(
            "endless extension of a chunk",
            ok + chunked + "5;",
            then: filler,
            gets: .interruption(.timedOut, old)
        ),
        endless(
            "endless size of a chunk",
            ok + chunked,
            then: [UInt8](repeating: UInt8(ascii: "0"), count: 1024),
            gets: .interruption(.connectionLost, old)
        ),
        endless("endless body", ok + "\r\n", then: filler, gets: .error(.cancelled)),
        endless(
            "endless body in chunks",
            ok + chunked,
            then: Array("4000\r\n".utf8) + filler + Array("\r\n".utf8),
            gets: .error(.cancelled)
        ),
    ]

    /// A server that is slow but honest, for a process to live on.
    static let slow = LyingServer(
        behaviour: "slow",
        answers: [.oldFile],
        outcome: .file(old),
        asks: [whole]
    )

    /// A body that grows without end when it is unpacked, as the app has asked for.
    static let endlessCompression = LyingServer(
        behaviour: "endless zeros in gzip",
        answers: [.endlessGzip],
        outcome: .error(.cancelled),
        asks: [whole]
    )

    private static let ok = "HTTP/1.1 200 OK\r\n"
    private static let chunked = "Transfer-Encoding: chunked\r\n\r\n"
    private static let filler = [UInt8](repeating: UInt8(ascii: "x"), count: 16 << 10)
    private static let field = Array("X-More: and more and more and more\r\n".utf8)
}
