import FerryHTTP
import Testing

@testable import FerryHTTP

@Suite(.timeLimit(.minutes(5))) struct CurlFieldListTests {
    private func lines(
        _ fields: KeyValuePairs<String, String> = [:],
        method: String = "GET",
        body: [UInt8]? = nil
    ) -> [String] {
        let fields = fields.map { HTTPField(name: $0.key, value: $0.value) }
        return CurlFieldList.lines(
            for: HTTPRequest(url: "http://a/", method: method, fields: fields, body: body)
        )
    }

    @Test func `a field is a line, and one without a value keeps its name`() {
        let lines = lines(["A": "b", "C": ""])
        #expect(lines.prefix(2) == ["A: b", "C;"])
    }

    @Test func `framing is not given as fields`() {
        #expect(lines(["content-length": "1", "TRANSFER-ENCODING": "x"]) == lines())
    }

    @Test func `a request that asks for no coding says so`() {
        #expect(lines().contains("Accept-Encoding: identity"))
        #expect(lines(["accept-encoding": "br"]).filter { $0.hasSuffix("identity") }.isEmpty)
        #expect(lines(["Accept-Encoding": ""]).first == "Accept-Encoding;")
    }

    @Test func `what libcurl would add by itself is taken back, unless it was asked for`() {
        let identity = "Accept-Encoding: identity"
        #expect(lines() == ["Expect:", identity, "Content-Type:"])
        #expect(
            lines(["Expect": "100-continue"]) == [
                "Expect: 100-continue", identity, "Content-Type:",
            ]
        )
        #expect(
            lines(["content-type": "text/plain"]) == [
                "content-type: text/plain", "Expect:", identity,
            ]
        )
        #expect(lines(method: "POST", body: [1]) == ["Expect:", identity])
        #expect(lines(method: "POST", body: []) == ["Expect:", identity, "Content-Type:"])
        #expect(lines(method: "PUT", body: [1]) == ["Expect:", identity, "Content-Type:"])
    }
}
