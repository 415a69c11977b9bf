import FerryTestSupport

extension LyingServer {
    /// What can be wrong with where a redirect leads.
    static let links = goodLinks + badLinks + endsOfLinks

    private static let goodLinks: [LyingServer] =
        [301, 303, 307, 308].map { status in
            .lie(
                "\(status) to another file",
                .redirect(to: "/elsewhere", status: status),
                elsewhere: .oldFile,
                gets: .file(old)
            )
        }
        + [
            ("with dots that lead above the root", "../../../../elsewhere"),
            ("with dots in its middle", "/a/b/../../c/.././elsewhere"),
            ("with a fragment", "/elsewhere#part"),
            ("with nothing but a name", "elsewhere"),
            ("with a space", "/elsewhere?a b"),
            ("with letters of no ASCII", "/elsewhere?\u{FC}\u{1F600}"),
            ("with coded line breaks", "/elsewhere?%0D%0AX-Injected:%20x"),
            ("with a percent sign and no digits", "/elsewhere?100%"),
            ("with characters that are none of URLs", "/elsewhere?<>\"{}|\\^`"),
            ("in white space", " \t/elsewhere\t "),
            ("of 60 000 characters", "/elsewhere?" + String(repeating: "x", count: 60_000)),
            ("with empty parameters", "/elsewhere?&&==&"),
        ].map { behaviour, location in
            .lie(
                "a redirect " + behaviour,
                .redirect(to: location),
                elsewhere: .oldFile,
                gets: .file(old)
            )
        }
        + [
            ("to the same host without a scheme", "//", ""),
            ("in a scheme of capitals", "HTTP://", ""),
            ("with a user and a password", "http://user:secret@", ""),
        ].map { behaviour, prefix, suffix in
            .lie(
                "a redirect " + behaviour,
                FixtureAnswer { request in
                    var response = FixtureResponse(status: 302)
                    let place = prefix + (request["Host"] ?? "") + suffix + "/elsewhere"
                    response.fields = [("Location", place)]
                    return response
                },
                elsewhere: .oldFile,
                gets: .file(old)
            )
        }

    private static let badLinks: [LyingServer] =
        [
            "ftp://127.0.0.1/elsewhere", "data:text/plain,hello", "javascript:alert(1)",
            "mailto:root@localhost", "ws://127.0.0.1/elsewhere", "dict://127.0.0.1:1/show",
            "gopher://127.0.0.1:1/1", "unix:///run/user/1000/bus", "about:blank", "smb://a/b",
        ].map { location in
            .lie(
                "a redirect to \(location)",
                .redirect(to: location),
                gets: .error(.unsupportedURL)
            )
        }
        + [
            ("to a port beyond all", "http://127.0.0.1:99999/"),
            ("to a host with a space", "http://a b/"),
        ].map { behaviour, location in
            .lie(
                "a redirect " + behaviour,
                .redirect(to: location),
                gets: .error(.badServerResponse)
            )
        } + [
            .lie(
                "a redirect with a zero byte",
                .raw("HTTP/1.1 302 Moved\r\nLocation: /else\0where\r\n\r\n"),
                gets: .error(.badServerResponse)
            )
        ]

    private static let endsOfLinks: [LyingServer] = [
        .lie(
            "an empty Location",
            .status(302, fields: [("Location", "")], body: "where"),
            gets: .file(.text("where"), status: 302)
        ),
        .lie(
            "304 with a Location",
            .status(304, fields: [("Location", "/nowhere")]),
            gets: .file(.empty, status: 304)
        ),
        .lie(
            "a choice with a Location",
            .redirect(to: "/nowhere", status: 300),
            gets: .file(.text("It is elsewhere."), status: 300)
        ),
        .lie(
            "200 with a Location",
            .oldFile.with(fields: [("Location", "/nowhere"), ("Content-Location", "/nowhere")]),
            gets: .file(old)
        ),
        .lie(
            "201 with a Location",
            .status(201, fields: [("Location", "/nowhere")], body: "made"),
            gets: .file(.text("made"), status: 201)
        ),
        .lie(
            "404 with a Location",
            .status(404, fields: [("Location", "/nowhere")], body: "gone"),
            gets: .file(.text("gone"), status: 404)
        ),
        .lie(
            "two Locations",
            .redirect(to: "/elsewhere").with(fields: [("Location", "/nowhere")]),
            elsewhere: .oldFile,
            gets: .file(old)
        ),
        .lie(
            "a redirect with a body without end",
            .script([
                .text("HTTP/1.1 302 Moved\r\nLocation: /elsewhere\r\n\r\n"),
                .sendForever([UInt8](repeating: 0x78, count: 16 << 10)),
            ]),
            elsewhere: .oldFile,
            gets: .file(old)
        ),
        .lie(
            "a redirect with a body that is not in its coding",
            .redirect(to: "/elsewhere").with(fields: [("Content-Encoding", "gzip")]),
            elsewhere: .oldFile,
            gets: .file(old)
        ),
        .lie(
            "a redirect with a body that never comes",
            .redirect(to: "/elsewhere").stalling(after: 3, at: FixtureGate()),
            elsewhere: .oldFile,
            gets: .file(old)
        ).wastingTime(),
        .lie(
            "a redirect with a length in words",
            .raw("HTTP/1.1 302 Moved\r\nLocation: /elsewhere\r\nContent-Length: many\r\n\r\n"),
            elsewhere: .oldFile,
            gets: .error(.badServerResponse)
        ),
        .lie(
            "a redirect to 404",
            .redirect(to: "/elsewhere"),
            elsewhere: .status(404, body: "gone"),
            gets: .file(.text("gone"), status: 404)
        ),
        .lie(
            "a redirect to a part",
            .redirect(to: "/elsewhere"),
            elsewhere: .part(),
            gets: .error(.badServerResponse)
        ),
        .lie(
            "a redirect to a file of the machine, at its second step",
            .redirect(to: "/elsewhere"),
            elsewhere: .redirect(to: "file:///etc/passwd"),
            gets: .error(.unsupportedURL)
        ),
        .lie(
            "a redirect to a place that leads to itself",
            .redirect(to: "/elsewhere"),
            elsewhere: .redirect(to: "/elsewhere"),
            gets: .error(.tooManyRedirects)
        ),
    ]
}
