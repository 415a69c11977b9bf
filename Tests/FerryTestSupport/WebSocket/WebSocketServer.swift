import FerrySystem
import Foundation

/// A WebSocket server that others wrote, the PyPI package `websockets`, on loopback.
package final class WebSocketServer {
    /// The file of the authority that has signed the server's certificate; empty without TLS.
    package let authorityFile: String
    /// The URL of the server, without a path: `ws://127.0.0.1:4711`.
    package let url: String

    private let folder: URL
    private let process: Process
    /// The server ends with this process, however that ends.
    private let input: Pipe

    /// Starts a server, which is listening when this returns.
    ///
    /// - Parameters:
    ///   - tls: Whether it speaks TLS.
    ///   - asksForIdentity: Whether it then insists on a client's certificate.
    /// - Returns: The server.
    /// - Throws: What keeps it from being started.
    @concurrent
    package static func start(
        tls: Bool = false,
        asksForIdentity: Bool = false
    ) async throws -> sending WebSocketServer {
        try WebSocketServer(tls: tls, asksForIdentity: asksForIdentity)
    }

    /// An identity that the server accepts.
    package func makeIdentity() async throws -> TLSIdentity {
        try await TLSIdentity.make("client", in: folder, signedBy: "ca")
    }

    private init(tls: Bool, asksForIdentity: Bool) throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("ferry-websocket-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        authorityFile = tls ? folder.appendingPathComponent("ca.pem").path : ""
        if tls { try TLSServer.makeCertificates(.good, in: folder) }
        let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let root = here.appendingPathComponent("../../..").standardizedFileURL.path
        process = Process()
        process.executableURL = URL(
            fileURLWithPath: ProcessEnvironment["FERRY_TEST_PYTHON"]
                ?? "\(root)/.build/venv/bin/python"
        )
        process.arguments =
            [here.appendingPathComponent("websocket_server.py").path]
            + (tls ? ["leaf.pem", "leaf.key"] : []) + (asksForIdentity ? ["ca.pem"] : [])
        process.currentDirectoryURL = folder
        input = Pipe()
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        var text = ""
        while !text.hasSuffix("\n") {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { throw CocoaError(.fileReadUnknown) }
            text += String(decoding: data, as: UTF8.self)
        }
        url = "\(tls ? "wss" : "ws")://127.0.0.1:\(text.dropLast())"
    }

    deinit {
        // The process has inherited the signals that the tests' threads block; this one cannot be.
        kill(process.processIdentifier, SIGKILL)
        try? FileManager.default.removeItem(at: folder)
    }
}
