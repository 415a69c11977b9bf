import FerrySystem
import FerryTestSupport
import FerryWireTestSupport
import Foundation
import Glibc
import Synchronization
import Testing

@testable import FerryWire

/// Files that go along with calls.
@Suite(.timeLimit(.minutes(1))) struct PassedFileTests {
    private let arrived = Recorder<String>()

    /// A daemon that notes the content of each upload's file.
    private func daemon() async throws -> TestDaemon {
        try await TestDaemon { [arrived] call, _ in
            switch call {
            case .createUpload(let create, let reply):
                let content = reply.takeFile().flatMap {
                    try? Self.content(of: $0.file)
                }
                let text = content.map { String(decoding: $0, as: UTF8.self) } ?? "nothing"
                arrived.append("\(create.identifier) \(text)")
                reply.success(.init(id: Int64(create.identifier)))
            default:
                TestDaemon.answer(call)
            }
        }
    }

    /// What is in a file; its calls are not the loop's to make.
    private static func content(of file: UserFile) throws -> [UInt8] {
        let content = Mutex<[UInt8]?>(nil)
        let done = DispatchSemaphore(value: 0)
        file.queue.perform {
            let bytes = try? file.withDescriptor { (file) throws(SystemCallError) in
                try file.readToEnd(limit: 1 << 20)
            }
            content.withLock { $0 = bytes }
            done.signal()
        }
        done.wait()
        return try #require(content.withLock { $0 })
    }

    private func file(_ content: String, in place: TemporaryDirectory) throws -> UserFile {
        try place.write(content, to: content)
        return UserFile(try place.directory.open(content, .read))
    }

    private func create(_ identifier: Int, padding: Int = 0) -> Wire.CreateUpload {
        Wire.CreateUpload(
            session: 5,
            identifier: identifier,
            request: Samples.request,
            path: "/file",
            description: String(repeating: "x", count: padding),
            priority: 0.5
        )
    }

    @Test func `a file arrives with its call`() async throws {
        let daemon = try await daemon()
        let client = try daemon.client()
        let file = try file("one", in: daemon.place)
        let reply = try await client.call(create(3), file: file)
        #expect(reply.id == 3)
        #expect(arrived.elements == ["3 one"])
    }

    @Test(arguments: [0, 300_000])
    func `each of many calls gets its own file, whatever is between them`(
        padding: Int
    ) async throws {
        let daemon = try await daemon()
        let client = try daemon.client()
        for number in 1...60 {
            if number.isMultiple(of: 3) {
                client.call(Wire.GetTask(id: 7)) { _ in }
            }
            let file = number.isMultiple(of: 4) ? nil : try file("f\(number)", in: daemon.place)
            let size = number.isMultiple(of: 10) ? padding : 0
            client.call(create(number, padding: size), file: file) { _ in }
        }
        _ = try await client.call(Wire.GetStatus())
        let expected = (1...60).map { "\($0) " + ($0.isMultiple(of: 4) ? "nothing" : "f\($0)") }
        #expect(arrived.elements == expected)
    }

    @Test func `a call that comes in pieces keeps its file`() async throws {
        let daemon = try await daemon()
        let client = try daemon.connect()
        let file = try file("one", in: daemon.place)
        let message = try MessageCoding.message(calling: create(1))
        let sent = try message[..<20].withUnsafeBytes {
            try SocketMessage.send(
                $0,
                descriptors: [file.number],
                over: client.descriptor
            )
        }
        #expect(sent == 20)
        try client.send(bytes: Array(message[20...]))
        #expect(try client.receive()?["parameters"]?["id"] == .int(1))
        #expect(arrived.elements == ["1 one"])
    }

    @Test func `a file that nobody wants is closed`() async throws {
        let daemon = try await daemon()
        let client = try daemon.client()
        var ends: [Int32] = [-1, -1]
        try systemCall("pipe") { pipe(&ends) }
        let reader = FileDescriptor(owning: ends[0])
        do {
            let writer = UserFile(FileDescriptor(owning: ends[1]))
            client.call(Wire.GetTask(id: 7), file: writer) { _ in }
            _ = try await client.call(Wire.GetStatus())
        }
        // The last writer is gone.
        #expect(try reader.readToEnd(limit: 10) == [])
    }

    @Test func `python passes a file`() async throws {
        let daemon = try await daemon()
        let path = try daemon.place.write("from python", to: "song")
        let python = PythonScript(name: "upload.py", place: daemon.place)
        let outcome = try await python.run([daemon.place.directory.path(of: "socket"), path])
        #expect(outcome.exit == .exited(status: 0), "\(outcome.errors)")
        #expect(outcome.output.first?["id"] == .int(4))
        #expect(arrived.elements == ["4 from python"])
    }

    @Test(arguments: [SHUT_WR, SHUT_RDWR])
    func `what a client has sent before it goes is carried out, with its files`(
        how: Int
    )
        async throws
    {
        let daemon = try await daemon()
        let (connection, gate) = (try daemon.connect(), DispatchSemaphore(value: 0))
        // All of it is there before the daemon looks.
        LoopActor.perform { gate.wait() }
        for number in 1...3 {
            let file = try file("f\(number)", in: daemon.place)
            let message = try MessageCoding.message(calling: create(number))
            let sent = try message.withUnsafeBytes {
                try SocketMessage.send(
                    $0,
                    descriptors: number == 3 ? [] : [file.number],
                    over: connection.descriptor
                )
            }
            #expect(sent == message.count)
        }
        shutdown(connection.descriptor, Int32(how))
        gate.signal()
        await daemon.waitUntilClosed()
        #expect(arrived.elements == ["1 f1", "2 f2", "3 nothing"])
    }
}
