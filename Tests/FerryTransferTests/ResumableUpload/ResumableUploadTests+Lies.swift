import FerryHTTP
import FerrySystem
import FerryTestSupport
import Testing

@testable import FerryTransfer

/// Servers that contradict themselves.
extension ResumableUploadTests {
    @Test(arguments: versions)
    func `UP-7: an offset beyond the end is a lie`(version: Int) async throws {
        let server = try UploadServer(version: version) { request in
            request.method == "PUT"
                ? .cutting(after: 1_000) : .with { $0.claimedOffset = 1_000_004 }
        }
        let probe = try upload(to: server)
        await probe.end()
        #expect(probe.error?.code == .badServerResponse)
        #expect(server.requests.count == 2)
        #expect(probe.resources.last == .some(nil))
    }

    @Test(arguments: versions)
    func `UP-9: a success with a wrong offset is a failure`(version: Int) async throws {
        let server = try UploadServer(version: version) { _ in .with { $0.claimedOffset = 999_999 }
        }
        let probe = try upload(to: server)
        await probe.end()
        #expect(probe.error?.code == .badServerResponse)
        #expect(probe.head == nil)
    }

    @Test(arguments: versions)
    func `UP-9: a part with a wrong offset is a failure`(version: Int) async throws {
        let server = try UploadServer(version: version) { request in
            switch request.method {
            case "PUT": .cutting(after: 1_000)
            case "PATCH": .with { $0.claimedOffset = 5 }
            default: UploadBehaviour()
            }
        }
        let probe = try upload(to: server)
        await probe.end()
        #expect(probe.error?.code == .badServerResponse)
        #expect(probe.head == nil)
    }

    @Test(arguments: versions)
    func `an answer that was lost is not made up for`(version: Int) async throws {
        let server = try UploadServer(version: version) { request in
            request.method == "PUT" ? .with { $0.losesAnswer = true } : UploadBehaviour()
        }
        let probe = try upload(to: server)
        await probe.end()
        #expect(probe.error?.code == .answerLost)
        #expect(server.requests.map(\.method) == ["PUT", "HEAD"])
        #expect(probe.resources.last == .some(nil))
    }

    @Test(arguments: versions)
    func `bytes that are all there and not complete are completed by an empty part`(
        version: Int
    ) async throws {
        let server = try UploadServer(version: version) { request in
            request.method == "PUT" ? .cutting(after: 1_000_002) : UploadBehaviour()
        }
        let probe = try upload(to: server)
        await probe.end()
        #expect(probe.error == nil)
        #expect(difference(server) == nil)
    }

    @Test(arguments: [404, 410])
    func `UP-7: what the server has forgotten cannot be continued`(status: Int) async throws {
        let server = try UploadServer(version: 8) { request in
            request.method == "PUT" ? .cutting(after: 1_000) : .answering(status)
        }
        let probe = try upload(to: server)
        await probe.end()
        #expect(probe.error?.code == .uploadGone)
        #expect(server.requests.count == 2)
        #expect(probe.resources.last == .some(nil))
    }

    @Test(arguments: [400, 401, 403, 409, 423])
    func `UP-7: after a 4xx nothing is tried again`(status: Int) async throws {
        let server = try UploadServer(version: 8) { request in
            request.method == "PUT" ? .cutting(after: 1_000) : .answering(status)
        }
        let probe = try upload(to: server)
        await probe.end()
        #expect(probe.error?.code == .badServerResponse)
        #expect(server.requests.count == 2)
        // The app may try, when whatever is wrong was put right.
        #expect(probe.upload?.resource != nil)
    }

    @Test func `UP-7: a part in the wrong place is not tried again`() async throws {
        let server = try UploadServer(version: 8) { request in
            switch request.method {
            case "PUT": .cutting(after: 1_000)
            case "PATCH": .answering(409)
            default: UploadBehaviour()
            }
        }
        let probe = try upload(to: server)
        await probe.end()
        #expect(probe.error?.code == .badServerResponse)
        #expect(server.requests.map(\.method) == ["PUT", "HEAD", "PATCH", "HEAD"])
        #expect(probe.upload?.resource != nil)
    }

    @Test func `bytes that reach the server after it has told what it has are not sent again`()
        async throws
    {
        let server = try UploadServer(version: 8) { request in
            switch request.number {
            case 0: .cutting(after: 1_000)
            case 1: .with { $0.claimedOffset = 600 }
            default: UploadBehaviour()
            }
        }
        let probe = try upload(to: server)
        await probe.end()
        #expect(probe.error == nil)
        let offsets = server.requests.map { $0["Upload-Offset"] }
        #expect(server.requests.map(\.method) == ["PUT", "HEAD", "PATCH", "HEAD", "PATCH"])
        #expect(offsets == [nil, nil, "600", nil, "1000"])
        #expect(server.violations == [])
    }

    @Test func `a server that wants a part elsewhere time and again is not obeyed for ever`()
        async throws
    {
        let server = try UploadServer(version: 8) { request in
            switch request.method {
            case "PUT": .cutting(after: 1_000)
            case "HEAD": .with { $0.claimedOffset = 1_000 - request.number }
            default: .answering(409)
            }
        }
        let probe = try upload(to: server)
        await probe.end()
        #expect(probe.error?.code == .badServerResponse)
        #expect(server.requests.map(\.method) == ["PUT", "HEAD", "PATCH", "HEAD", "PATCH"])
    }

    @Test func `what the app's server refuses is the answer`() async throws {
        let server = try UploadServer(version: 8) { request in
            switch request.method {
            case "PUT": .cutting(after: 1_000)
            case "PATCH": .answering(500, [("Upload-Complete", "?1")])
            default: UploadBehaviour()
            }
        }
        let probe = try upload(to: server)
        await probe.end()
        #expect(probe.error == nil)
        #expect(probe.head?.status == 500)
        #expect(probe.text == "no")
    }

    @Test func `UP-5: without progress, patience ends`() async throws {
        let server = try UploadServer(version: 8) { request in
            request.method == "HEAD"
                ? UploadBehaviour() : .cutting(after: request.number == 0 ? 9 : 0)
        }
        let probe = try upload(to: server, timeout: .milliseconds(150))
        await probe.end()
        #expect(probe.error?.code == .connectionLost)
        #expect(probe.upload?.resource != nil)
        #expect(server.requests.count > 4)
        #expect(server.violations == [])
    }
}
