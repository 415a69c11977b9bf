import FerryTestSupport

/// A server of tus that misleads those who upload, in one way, and what has to come of it.
///
/// It refuses uploads that are not in the words of tus, by which it is recognized.
struct LyingTusServer: Sendable {
    /// What the server does.
    let behaviour: String
    /// What has to come of it.
    let outcome: LyingUploadServer.Outcome
    /// How it treats a request.
    let treatment: @Sendable (TusEndpoint.Request) -> TusTreatment

    private init(
        _ behaviour: String,
        gets outcome: LyingUploadServer.Outcome,
        _ treatment: @escaping @Sendable (TusEndpoint.Request) -> TusTreatment
    ) {
        self.behaviour = "to an upload by tus: " + behaviour
        self.outcome = outcome
        self.treatment = treatment
    }

    /// A lie in the answers to one method, or in the first of them.
    private static func lie(
        _ behaviour: String,
        to method: String,
        once: Bool = false,
        gets outcome: LyingUploadServer.Outcome,
        _ treatment: TusTreatment
    ) -> LyingTusServer {
        LyingTusServer(behaviour, gets: outcome) { request in
            let isPlain = request.method == "POST" && !request.isTus
            let isMeant = request.method == method && !isPlain && (!once || request.number == 0)
            return isMeant ? treatment : TusTreatment()
        }
    }

    /// The answer to the first part is lost, and what the server then says that it has is a lie.
    private static func offset(
        _ behaviour: String,
        gets outcome: LyingUploadServer.Outcome,
        _ treatment: TusTreatment
    ) -> LyingTusServer {
        LyingTusServer(behaviour, gets: outcome) { request in
            switch (request.method, request.number) {
            case ("PATCH", 0): .with { ($0.losesAnswer, $0.keeps) = (true, 100_000) }
            case ("HEAD", _): treatment
            default: TusTreatment()
            }
        }
    }

    /// All of them.
    static let all = capabilities + creations + offsets + parts

    // MARK: - What it says that it can do

    private static let capabilities: [LyingTusServer] = [
        LyingTusServer("none at all", gets: .upload) { _ in TusTreatment() },
        lie("404 for its abilities", to: "OPTIONS", gets: .answer(412), .answering(404)),
        lie("no abilities", to: "OPTIONS", gets: .answer(412), .answering(204)),
        lie(
            "a version that nobody speaks",
            to: "OPTIONS",
            gets: .answer(412),
            .answering(.status(204, fields: [("Tus-Version", "7.0.0")]))
        ),
        lie(
            "a cut in place of its abilities",
            to: "OPTIONS",
            gets: .answer(412),
            .with { $0.losesAnswer = true }
        ),
        lie(
            "abilities with a body without end",
            to: "OPTIONS",
            gets: .upload,
            .answering(
                .script([
                    .text("HTTP/1.1 200 OK\r\n"),
                    .text(TusEndpoint.capabilities.map { "\($0.name): \($0.value)\r\n" }.joined()),
                    .text("\r\n"), .sendForever([UInt8](repeating: 0x78, count: 16 << 10)),
                ])
            )
        ),
    ]

    // MARK: - What it says to the making of an upload

    private static let creations: [LyingTusServer] =
        [400, 403, 413, 500, 503].map { status in
            lie("\(status) to an upload", to: "POST", gets: .answer(status), .answering(status))
        }
        + [
            ("no place for an upload", []),
            ("a file as the place for an upload", [("Location", "file:///etc/passwd")]),
            ("no URL as the place for an upload", [("Location", "http://[/")]),
        ].map { behaviour, fields in
            lie(
                behaviour,
                to: "POST",
                gets: .error(.badServerResponse),
                .answering(201, fields)
            )
        }
        + [
            lie(
                "a page of somebody else in place of an upload",
                to: "POST",
                gets: .answer(412),
                .answering(.status(200, body: "Welcome to our network!"))
            )
        ]

    // MARK: - What it says that it has

    private static let offsets: [LyingTusServer] =
        [
            ("beyond the end", "300002"), ("beyond what was sent", "300001x"), ("below zero", "-1"),
            ("in words", "many"), ("beyond every number", "99999999999999999999"),
            ("of nothing", ""),
        ].map { behaviour, value in
            offset(
                "an offset " + behaviour,
                gets: .error(.badServerResponse),
                .with { $0.claimedOffset = value }
            )
        } + [
            offset("an offset that goes back", gets: .upload, .with { $0.forgets = 30_000 }),
            offset(
                "the offset of another upload",
                gets: .error(.badServerResponse),
                .answering(200, [("Upload-Offset", "100000"), ("Upload-Length", "300000")])
            ),
            offset("400 for the offset", gets: .error(.badServerResponse), .answering(400)),
            offset(
                "a page of somebody else in place of the offset",
                gets: .error(.badServerResponse),
                .answering(.status(200))
            ),
        ]
        + [404, 410, 403].map { status in
            LyingTusServer("\(status) for the offset", gets: .interruption(.resourceUnavailable)) {
                request in
                switch (request.method, request.number) {
                case ("PATCH", 0): .with { $0.losesAnswer = true }
                case ("HEAD", _): .answering(status)
                default: TusTreatment()
                }
            }
        }
        + [423, 503].map { status in
            LyingTusServer("\(status) for the offset, once", gets: .upload) { request in
                switch (request.method, request.number) {
                case ("PATCH", 0): .with { ($0.losesAnswer, $0.keeps) = (true, 100_000) }
                case ("HEAD", 0): .answering(status)
                default: TusTreatment()
                }
            }
        }

    // MARK: - What it says to the bytes

    private static let parts: [LyingTusServer] =
        [409, 423, 460, 503].map { status in
            lie(
                "\(status) to the bytes, once",
                to: "PATCH",
                once: true,
                gets: .upload,
                .answering(status)
            )
        } + [
            lie("413 to the bytes", to: "PATCH", gets: .answer(413), .answering(413)),
            lie(
                "fewer bytes kept than were sent",
                to: "PATCH",
                gets: .upload,
                .with { $0.keeps = 70_000 }
            ),
            lie(
                "no end of it",
                to: "PATCH",
                once: true,
                gets: .upload,
                .with { $0.losesAnswer = true }
            ),
            lie(
                "no bytes kept",
                to: "PATCH",
                gets: .error(.badServerResponse),
                .with { $0.keeps = 0 }
            ),
            lie(
                "more bytes than there are",
                to: "PATCH",
                gets: .error(.badServerResponse),
                .with { $0.claimedOffset = "300002" }
            ),
            lie(
                "no word of what was kept",
                to: "PATCH",
                gets: .upload,
                .with { ($0.keeps, $0.claimedOffset) = (70_000, "") }
            ),
            lie(
                "no word of what was kept, which is nothing",
                to: "PATCH",
                gets: .error(.badServerResponse),
                .with { ($0.keeps, $0.claimedOffset) = (0, "") }
            ),
            lie(
                "a page of somebody else in place of the end",
                to: "PATCH",
                once: true,
                gets: .error(.badServerResponse),
                .answering(.status(200, body: "Welcome to our network!"))
            ),
        ]
}
