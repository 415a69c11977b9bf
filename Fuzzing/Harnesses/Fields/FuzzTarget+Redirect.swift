import FoundationEssentials

@testable import FerryHTTP
@testable import FerryTransfer

extension FuzzTarget {
    /// A redirect leads to http or https, and takes no secret to another party.
    static let redirect = FuzzTarget("redirect", upTo: 128) { input throws(Finding) in
        var input = input
        let status = [301, 302, 303, 307, 308][Int(input.takeNumber() % 5)]
        let bases = [
            "https://example.com/a/b?c#d", "http://user@example.com:8080", "https://[::1]/x/",
            "http://example.com/%zz;p?q",
        ]
        let base = bases[Int(input.takeNumber()) % bases.count]
        let head = HTTPResponseHead(
            status: status,
            fields: [HTTPField(name: "Location", value: input.text)],
            url: base
        )
        let request = TransferRequest(
            url: base,
            method: "POST",
            fields: [HTTPField(name: "X-Secret", value: "secret")],
            body: [1]
        )
        let decision = RedirectPolicy().decision(for: head, to: request, after: 0)
        guard case .follow(let next) = decision else { return }
        guard let origin = Origin(url: next.url) else {
            // The app may look at it, and nothing is sent.
            let isRefused = RedirectPolicy.refusal(of: next.url) != nil
            return try expect(isRefused && next.fields.isEmpty, "\(next.url) is followed")
        }
        try expect(origin.port >= 0, "the port is \(origin.port)")
        try expectSame(Origin(url: origin.description), origin, "\(next.url) written again")
        let isSame = Origin(url: base) == origin
        try expect(isSame || next.fields.isEmpty, "\(next.url) gets the secret")
        let keepsBody = status >= 307
        try expectSame(next.body != nil, keepsBody, "whether \(status) keeps the body")
        if isSame { try checkSent(next.url, insteadOf: base) }
    }

    /// What gets the fields must also be to libcurl the party that they were for.
    private static func checkSent(_ url: String, insteadOf base: String) throws(Finding) {
        guard (try? CurlURL.check(url)) != nil, let target = try? CurlURL.tunnelTarget(of: url)
        else { return }
        let expected = try? CurlURL.tunnelTarget(of: base)
        try expectSame(target.lowercased(), expected, "the party of \(url) to libcurl")
    }
}
