import FerryTestSupport

extension LyingServer {
    private init(
        _ behaviour: String,
        _ answer: FixtureAnswer,
        elsewhere: FixtureAnswer? = nil,
        gets outcome: Outcome,
        requests count: Int = 1
    ) {
        self.behaviour = behaviour
        answers = [answer]
        self.elsewhere = elsewhere
        self.outcome = outcome
        asks = [String?](repeating: Self.whole, count: count)
    }

    /// Redirects that lead in a circle, or nowhere.
    static let redirects: [LyingServer] = [
        .init(
            "a redirect to itself",
            chain(length: .max),
            gets: .error(.tooManyRedirects),
            requests: 21
        ),
        .init("20 redirects", chain(length: 20), gets: .file(old), requests: 21),
        .init("21 redirects", chain(length: 21), gets: .error(.tooManyRedirects), requests: 21),
        .init(
            "a redirect to a file of the machine",
            .redirect(to: "file:///etc/passwd"),
            gets: .error(.unsupportedURL)
        ),
        .init(
            "a redirect to what is no URL",
            .redirect(to: "http://[/"),
            gets: .error(.badServerResponse)
        ),
        .init(
            "a redirect without a Location",
            .status(302, body: "somewhere"),
            gets: .file(.text("somewhere"), status: 302)
        ),
        .init(
            "a redirect whose body breaks off",
            .redirect(to: "/elsewhere").dropping(after: 3),
            elsewhere: .oldFile,
            gets: .file(old)
        ),
    ]

    /// Redirects to the same path with the next number, and the file in the end.
    private static func chain(length: Int) -> FixtureAnswer {
        FixtureAnswer { request in
            let number = request.target.split(separator: "?").dropFirst().first
                .flatMap { Int($0) }
            guard number ?? 0 < length else { return FixtureResponse(status: 200, content: old) }
            var response = FixtureResponse(status: 302)
            response.fields = [("Location", "\(request.path)?\((number ?? 0) + 1)")]
            return response
        }
    }
}
