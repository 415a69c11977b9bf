import FerryTestSupport
import Glibc
import Testing

@testable import FerrySystem

@Suite(.timeLimit(.minutes(5))) struct SplicePipeTests {
    private let temporary: TemporaryDirectory

    init() throws { temporary = try TemporaryDirectory() }

    @Test func `bytes for a file that takes none from a pipe are copied`() throws {
        let pipe = try SplicePipe()
        let sockets = try UnixSocket.pair()
        let bytes: [UInt8] = Array(0..<100)
        let sent = try bytes.withUnsafeBytes { try sockets.first.write($0) }
        #expect(sent == 100)
        #expect(try pipe.fill(from: sockets.second.rawValue, upTo: 100) == 100)
        // Linux does so with one that is open for appending.
        let file = try temporary.directory.open("file", .append)
        #expect(try pipe.empty(into: file, at: 0, limit: 20) == 20)
        #expect(pipe.count == 80)
        #expect(try pipe.empty(into: file, at: 20) == 80)
        #expect(pipe.count == 0)
        #expect(try temporary.directory.open("file", .read).readToEnd(limit: 100) == bytes)
    }

    @Test func `no more is taken from a pipe than is wanted`() throws {
        let pipe = try SplicePipe()
        let sockets = try UnixSocket.pair()
        let bytes: [UInt8] = Array(0..<100)
        let sent = try bytes.withUnsafeBytes { try sockets.first.write($0) }
        #expect(sent == 100)
        #expect(try pipe.fill(from: sockets.second.rawValue, upTo: 60) == 60)
        let file = try temporary.directory.open("file", .createNew)
        #expect(try pipe.empty(into: file, at: 5, limit: 20) == 20)
        #expect(pipe.count == 40)
        #expect(try file.status().size == 25)
        #expect(try pipe.empty(into: file, at: 25) == 40)
        #expect(pipe.count == 0)
        var content = [UInt8](repeating: 0xFF, count: 65)
        #expect(try content.withUnsafeMutableBytes { try file.read(into: $0, at: 0) } == 65)
        #expect(content == [0, 0, 0, 0, 0] + Array(0..<60))
    }
}
