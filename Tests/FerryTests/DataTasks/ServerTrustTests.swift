import Ferry
import FerryTestSupport
import Foundation
import Testing

@Suite("Trust in servers", .timeLimit(.minutes(1)))
struct ServerTrustTests {
    private let recorder = DataRecorder()
    private let session: URLSession

    init() {
        _ = Home.path
        session = recorder.makeSession()
    }

    private func url(_ server: TLSServer) throws -> URL { try #require(URL(string: server.url)) }

    @Test func `DL-9: the session's delegate can accept a server that nobody has vouched for`()
        async throws
    {
        let server = try await TLSServer.start(.good)
        recorder.change { answers in
            answers.sessionChallenge = { challenge in
                guard let trust = challenge.protectionSpace.serverTrust else {
                    return (.cancelAuthenticationChallenge, nil)
                }
                return (.useCredential, URLCredential(trust: trust))
            }
        }
        session.dataTask(with: try url(server)).resume()
        await recorder.waitForEnd()
        #expect(recorder.story.first == "session challenge")
        #expect(recorder.error == nil)
        #expect(recorder.text.contains("s_server"))
        let space = try #require(recorder.challenges.first?.protectionSpace)
        #expect(space.authenticationMethod == NSURLAuthenticationMethodServerTrust)
        let trust = try #require(space.serverTrust)
        #expect(trust.host == "127.0.0.1")
        #expect(trust.verificationError?.code == .serverCertificateUntrusted)
        // DER begins with a sequence.
        #expect(trust.certificateChain.first?.data.first == 0x30)
        #expect(!SecTrustEvaluateWithError(trust, nil))
        var error: CFError?
        #expect(!SecTrustEvaluateWithError(trust, &error))
        #expect((error as? URLError)?.code == .serverCertificateUntrusted)
    }

    @Test func `DL-11: the same certificates are not asked about again`() async throws {
        let server = try await TLSServer.start(.good)
        recorder.change { answers in
            answers.sessionChallenge = { challenge in
                let trust = challenge.protectionSpace.serverTrust
                return (.useCredential, trust.map { URLCredential(trust: $0) })
            }
        }
        for _ in 0..<3 { _ = try await session.data(from: try url(server)) }
        #expect(recorder.challenges.count == 1)
    }

    @Test func `DL-12: default handling goes by what was found`() async throws {
        let server = try await TLSServer.start(.good)
        session.dataTask(with: try url(server)).resume()
        await recorder.waitForEnd()
        #expect(recorder.story.first == "session challenge")
        #expect(recorder.error?.code == .serverCertificateUntrusted)
        let reason = recorder.error?.userInfo[NSLocalizedFailureReasonErrorKey] as? String
        #expect(
            reason?.hasPrefix("No trusted authority vouches for the server's certificate") == true
        )
    }

    @Test func `DL-12: a cancelled challenge cancels the task`() async throws {
        let server = try await TLSServer.start(.good)
        recorder.change { $0.sessionChallenge = { _ in (.cancelAuthenticationChallenge, nil) } }
        session.dataTask(with: try url(server)).resume()
        await recorder.waitForEnd()
        #expect(recorder.error?.code == .cancelled)
    }

    @Test func `DL-9: a task's delegate is asked where the session's does not answer`()
        async throws
    {
        let server = try await TLSServer.start(.good)
        let delegate = TrustingTaskDelegate()
        let session = URLSession(configuration: .ephemeral)
        let (data, _) = try await session.data(from: try url(server), delegate: delegate)
        #expect(String(decoding: data, as: UTF8.self).contains("s_server"))
    }

    @Test func `without anybody to ask the system's authorities decide`() async throws {
        let server = try await TLSServer.start(.good)
        let session = URLSession(configuration: .ephemeral)
        await expectURLError(.serverCertificateUntrusted) {
            try await session.data(from: try url(server))
        }
    }

    @Test func `a download's server is asked about, too`() async throws {
        let server = try await TLSServer.start(.expired)
        recorder.change { answers in
            answers.sessionChallenge = { challenge in
                let trust = challenge.protectionSpace.serverTrust
                return (.useCredential, trust.map { URLCredential(trust: $0) })
            }
        }
        session.downloadTask(with: try url(server)).resume()
        await recorder.waitForEnd()
        #expect(recorder.error == nil)
        #expect(recorder.file != nil)
    }
}

/// Implements the task's form alone, and without a handler.
private final class TrustingTaskDelegate: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        (.useCredential, challenge.protectionSpace.serverTrust.map { URLCredential(trust: $0) })
    }
}

/// Files of trusted authorities whose file system does not answer any more.
@Suite(.enabled(if: HangingDisk.canBeMade), .timeLimit(.minutes(1)))
struct HangingAuthorityTests {
    @Test
    func `REL-1: a file of authorities is read when its session is made, and by no connection`()
        async throws
    {
        _ = Home.path
        let server = try FixtureServer()
        server.on("/other", .content(.text("hello")))
        let disk = try await HangingDisk(byteCount: 1000)
        let configuration = URLSessionConfiguration.ephemeral
        configuration.certificateAuthorityFile = URL(
            filePath: disk.file,
            directoryHint: .notDirectory
        )
        let session = URLSession(configuration: configuration)
        try await disk.hang(.lookup, .open)
        var address = try #require(
            URLComponents(url: try server.address("/other"), resolvingAgainstBaseURL: false)
        )
        address.scheme = "https"
        let secure = try #require(address.url)
        // There is no authority in it.
        await #expect(throws: URLError.self) { try await session.data(from: secure) }
        let (data, _) = try await session.data(from: try server.address("/other"))
        #expect(String(decoding: data, as: UTF8.self) == "hello")
        try await disk.proceed()
    }
}
