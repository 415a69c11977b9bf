import FerryTestSupport

extension LyingServer {
    /// What can be wrong at the address that an app knows when the first one is none any more.
    ///
    /// That is `/elsewhere`; it may also be none, as often as the app is asked.
    static let relinks = sameFiles + expiredLinks + otherFiles + refusedLinks

    private static let statuses = [401, 403, 410]

    private static let sameFiles = statuses.map { status in
        relink(
            "the same file, after \(status)",
            after: status,
            .file(FixtureFile(old, entityTag: "\"other\"")),
            gets: .file(old, status: 206)
        )
    }

    private static let expiredLinks = statuses.map { status in
        relink(
            "\(status) as well",
            .status(status, body: "expired"),
            gets: .error(.badServerResponse)
        )
    }

    private static let otherFiles: [LyingServer] = [
        relink("another file of that length", .newFile, gets: .file(new)),
        relink(
            "another file of that length, with the first one's ETag",
            .file(FixtureFile(new)),
            gets: .file(new)
        ),
        relink(
            "a shorter file",
            .file(FixtureFile(third, entityTag: "\"v3\"")),
            gets: .file(third)
        ),
        relink(
            "the same file without parts",
            .file(FixtureFile(old, ranges: .ignored)),
            gets: .file(old)
        ),
        relink(
            "another file without parts",
            .file(FixtureFile(new, ranges: .ignored)),
            gets: .file(new)
        ),
        relink("the same file in gzip", .gzip(old), gets: .file(.bytes(gzip))),
        relink(
            "nothing",
            .file(FixtureFile(.empty, entityTag: "\"v4\"")),
            gets: .file(.empty)
        ),
        relink(
            "a part that was not asked for",
            .part(from: cutByteCount + 1),
            times: 2,
            gets: .interruption(.badServerResponse, old)
        ),
    ]

    private static let refusedLinks: [LyingServer] = [
        relink(
            "a redirect to a file of the machine",
            .redirect(to: "file:///etc/passwd"),
            times: 1,
            gets: .interruption(.unsupportedURL, old)
        ),
        relink(
            "a redirect to itself",
            .redirect(to: "/elsewhere"),
            times: 21,
            gets: .interruption(.tooManyRedirects, old)
        ),
        relink(
            "404",
            .status(404, body: "gone"),
            gets: .error(.badServerResponse)
        ),
    ]

    /// A first answer that is cut; then its address is none any more, and the lie is at another one.
    private static func relink(
        _ behaviour: String,
        after status: Int = 403,
        _ elsewhere: FixtureAnswer,
        times count: Int? = nil,
        gets outcome: Outcome
    ) -> LyingServer {
        LyingServer(
            behaviour: "at another address: " + behaviour,
            beginning: .oldFile,
            validator: "\"v1\"",
            answers: [.status(status, body: "expired")],
            elsewhere: elsewhere,
            elsewhereLater: count.map { ($0, .oldFile) },
            outcome: outcome,
            asks: [rest]
        )
    }
}
