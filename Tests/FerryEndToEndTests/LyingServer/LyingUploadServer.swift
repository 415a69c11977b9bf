import FerryTestSupport

/// A server that misleads those who upload, in one way, and what has to come of it.
///
/// It speaks version 8 of draft-ietf-httpbis-resumable-upload, and apart from the lie speaks it well.
struct LyingUploadServer: Sendable {
    /// What has to come of an upload.
    enum Outcome: Sendable {
        /// All bytes are there, and the answer says so.
        case upload
        /// This answer is the app's, whatever has become of the bytes.
        case answer(Int)
        /// This error.
        case error(LyingServer.Failure)
        /// This error in an app's own session. ferryd sends all of it again.
        case interruption(LyingServer.Failure)
    }

    /// What the server does.
    let behaviour: String
    /// What has to come of it.
    let outcome: Outcome
    /// How it treats a request.
    let treatment: @Sendable (UploadServerRequest) -> UploadBehaviour

    private init(
        _ behaviour: String,
        gets outcome: Outcome,
        _ treatment: @escaping @Sendable (UploadServerRequest) -> UploadBehaviour
    ) {
        self.behaviour = "to an upload: " + behaviour
        self.outcome = outcome
        self.treatment = treatment
    }

    /// What is uploaded.
    static let content = FixtureContent.seeded(8, byteCount: 300_001)

    /// All of them.
    static let all = firstAnswers + announcements + offsets + parts

    // MARK: - What the first request meets

    private static let firstAnswers: [LyingUploadServer] =
        [400, 403, 404, 409, 410, 411, 413, 415, 416, 417, 422, 500, 503, 507].map { status in
            LyingUploadServer("\(status)", gets: .answer(status)) { _ in .answering(status) }
        } + [
            LyingUploadServer("308 to itself, for ever", gets: .error(.tooManyRedirects)) { _ in
                .answering(308, [("Location", "/in")])
            },
            LyingUploadServer("307 to a file", gets: .error(.unsupportedURL)) { _ in
                .answering(307, [("Location", "file:///etc/passwd")])
            },
            LyingUploadServer("308 to nowhere", gets: .answer(308)) { _ in .answering(308) },
            LyingUploadServer(
                "success with an offset that nobody knows",
                gets: .answer(200)
            ) { _ in
                .answering(200, [("Upload-Offset", "7"), ("Upload-Complete", "?1")])
            },
        ]

    // MARK: - What an interim response promises

    private static let announcements: [LyingUploadServer] = [
        LyingUploadServer("a cut, and no more", gets: .upload) { cut($0) },
        LyingUploadServer("no promise, and a cut", gets: .interruption(.connectionLost)) {
            cut($0) { $0.announces = false }
        },
        LyingUploadServer(
            "a promise in another version, and a cut",
            gets: .interruption(.connectionLost)
        ) { cut($0) { $0.announcedVersion = 7 } },
        LyingUploadServer(
            "a promise by something that is no server, and a cut",
            gets: .interruption(.connectionLost)
        ) { cut($0) { $0.location = "file:///etc/passwd" } },
        LyingUploadServer(
            "a promise by what is no URL, and a cut",
            gets: .interruption(.connectionLost)
        ) { cut($0) { $0.location = "http://[/" } },
    ]

    // MARK: - What a server says that it has

    private static let offsets: [LyingUploadServer] = [
        LyingUploadServer("an offset that goes back", gets: .upload) { request in
            request.method == "HEAD" ? .with { $0.forgets = 30_000 } : cut(request)
        },
        LyingUploadServer("an offset beyond the end", gets: .error(.badServerResponse)) {
            asked($0) { $0.claimedOffset = 300_002 }
        },
        LyingUploadServer("a negative offset", gets: .error(.badServerResponse)) {
            asked($0) { $0.claimedOffset = -1 }
        },
        LyingUploadServer("all of less than there is", gets: .error(.badServerResponse)) {
            asked($0) { $0.claimedCompleteness = true }
        },
        LyingUploadServer("503 for the offset, once", gets: .upload) { request in
            request.number == 1 ? .answering(503) : cut(request)
        },
        LyingUploadServer("403 for the offset", gets: .error(.badServerResponse)) { request in
            request.method == "HEAD" ? .answering(403) : cut(request)
        },
        LyingUploadServer("204 without an offset", gets: .error(.badServerResponse)) { request in
            request.method == "HEAD" ? .answering(204) : cut(request)
        },
        LyingUploadServer("an offset in words", gets: .error(.badServerResponse)) { request in
            request.method == "HEAD"
                ? .answering(204, [("Upload-Offset", "many"), ("Upload-Complete", "?0")])
                : cut(request)
        },
        LyingUploadServer(
            "an offset beyond every number",
            gets: .error(.badServerResponse)
        ) { request in
            request.method == "HEAD"
                ? .answering(
                    204,
                    [("Upload-Offset", "99999999999999999999"), ("Upload-Complete", "?0")]
                ) : cut(request)
        },
        LyingUploadServer("a cut in place of the offset", gets: .upload) { request in
            request.number == 1 ? .with { $0.losesAnswer = true } : cut(request)
        },
    ]

    // MARK: - What a server says to the rest

    private static let parts: [LyingUploadServer] = [
        LyingUploadServer("409 to the rest", gets: .error(.badServerResponse)) { request in
            request.method == "PATCH" ? .answering(409) : cut(request)
        },
        LyingUploadServer("503 to the rest, once", gets: .upload) { request in
            request.number == 2 ? .answering(503) : cut(request)
        },
        LyingUploadServer("403 to the rest", gets: .answer(403)) { request in
            request.method == "PATCH" ? .answering(403) : cut(request)
        },
        LyingUploadServer("another offset behind the rest", gets: .error(.badServerResponse)) {
            request in
            request.method == "PATCH" ? .with { $0.claimedOffset = 5 } : cut(request)
        },
    ]

    /// The first request is cut; the others are treated well.
    private static func cut(
        _ request: UploadServerRequest,
        _ change: (inout UploadBehaviour) -> Void = { _ in }
    ) -> UploadBehaviour {
        guard request.number == 0 else { return UploadBehaviour() }
        var behaviour = UploadBehaviour.cutting(after: 100_000)
        change(&behaviour)
        return behaviour
    }

    /// The first request is cut, and the question how far it came has a bad answer.
    private static func asked(
        _ request: UploadServerRequest,
        _ change: (inout UploadBehaviour) -> Void
    ) -> UploadBehaviour {
        request.method == "HEAD" ? .with(change) : cut(request)
    }
}
