import Ferry
import FerrySystem
import FerryTestSupport
import Foundation
@preconcurrency import Glibc
import Testing

@testable import FerryCommand

@Suite(.timeLimit(.minutes(5))) struct FileTakerTests {
    private let directory: TemporaryDirectory
    private let taker: FileTaker

    init() throws {
        directory = try TemporaryDirectory()
        taker = FileTaker(environment: ["XDG_DATA_HOME": "\(directory.path)/data"])
    }

    private func take(
        name: String? = nil,
        directory target: String = "out",
        status: Int = 200,
        fields: [String: String] = [:],
        changing change: (inout Destination) -> Void = { _ in }
    ) throws -> Outcome {
        let url = try #require(URL(string: "https://example.org/get/big.iso"))
        var destination = Destination(
            directory: "\(directory.path)/\(target)",
            name: name,
            permissions: 0o644
        )
        change(&destination)
        return try taker.take(
            URL(fileURLWithPath: try directory.write("body", to: "CFNetworkDownload_a1b2c3.tmp")),
            taskDescription: try destination.taskDescription,
            response: HTTPURLResponse(
                url: url,
                statusCode: status,
                httpVersion: "HTTP/1.1",
                headerFields: fields
            ),
            url: url
        )
    }

    @Test func `a file is named by its server unless the user has named it`() throws {
        let disposition = ["Content-Disposition": "attachment; filename=\"../served.iso\""]
        let out = "\(directory.path)/out"
        #expect(try take(fields: disposition) == .saved(path: "\(out)/served.iso", byteCount: 4))
        #expect(try take() == .saved(path: "\(out)/big.iso", byteCount: 4))
        #expect(
            try take(name: "mine", fields: disposition) == .saved(path: "\(out)/mine", byteCount: 4)
        )
        #expect(try directory.text(of: "out/mine") == "body")
    }

    @Test func `a file has its server's time, and another's place, only where that is wanted`()
        throws
    {
        let fields = ["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"]
        let path = "\(directory.path)/out/big.iso"
        func time() throws -> Date? {
            try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
        }
        #expect(try take(fields: fields) == .saved(path: path, byteCount: 4))
        #expect(try #require(try time()).timeIntervalSinceNow > -3600)
        let kept = try take(fields: fields) {
            $0.keepsTime = true
            $0.precedence = .new
            $0.begun = .max
        }
        #expect(kept == .saved(path: path, byteCount: 4))
        #expect(try time() == Date(timeIntervalSince1970: 784_111_777))
        for text in ["", "yesterday", "Sun, 06 Nov 99999 08:49:37 GMT"] {
            let odd = try take(fields: ["Last-Modified": text]) {
                $0.keepsTime = true
                $0.precedence = .new
                $0.begun = .max
            }
            #expect(odd == .saved(path: path, byteCount: 4))
        }
    }

    @Test
    func `a response of 304 leaves the file that is there, and is a failure where there is none`()
        throws
    {
        let outcome = try take(status: 304) { $0.newerThan = "/tmp/big.iso" }
        #expect(outcome == .unchanged(path: "/tmp/big.iso"))
        guard case .failed(let reason) = try take(status: 304, changing: { $0.precedence = .new })
        else {
            Issue.record("no failure")
            return
        }
        #expect(reason.message == "the server answered 304 Not Modified, without a file")
        #expect(!FileManager.default.fileExists(atPath: "\(directory.path)/out"))
    }

    /// What a server says of the time of its file, against one that is there from the year 2001.
    @Test(
        arguments: [
            (.newer, "Mon, 02 Nov 2026 08:00:00 GMT", "body", false),
            (.newer, "Sun, 06 Nov 1994 08:49:37 GMT", "mine", true),
            (.newer, "Sun, 09 Sep 2001 01:46:40 GMT", "mine", true),
            (.newer, nil, "mine", false), (.newer, "yesterday", "mine", false),
            (.old, nil, "mine", true), (.new, nil, "body", false), (.both, nil, "mine", false),
        ] as [(Destination.Precedence, String?, String, Bool)]
    )
    func `what is there is replaced only by what has precedence`(
        precedence: Destination.Precedence,
        time: String?,
        content: String,
        isUnchanged: Bool
    ) throws {
        let out = "\(directory.path)/out"
        try FileManager.default.createDirectory(atPath: out, withIntermediateDirectories: true)
        let path = try directory.write("mine", to: "out/big.iso")
        let old = Date(timeIntervalSince1970: 1_000_000_000)
        try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: path)
        let outcome = try take(fields: time.map { ["Last-Modified": $0] } ?? [:]) {
            $0.precedence = precedence
            $0.keepsTime = precedence == .newer
            $0.begun = .max
        }
        #expect(try directory.text(of: "out/big.iso") == content)
        // Both are kept in doubt.
        let hasBoth = content == "mine" && !isUnchanged
        let kept = hasBoth ? "\(path).1" : path
        #expect(
            outcome == (isUnchanged ? .unchanged(path: path) : .saved(path: kept, byteCount: 4))
        )
        #expect(FileManager.default.fileExists(atPath: "\(path).1") == hasBoth)
    }

    @Test(arguments: [400, 404, 503])
    func `an error page is not the file`(status: Int) throws {
        guard case .failed(let reason) = try take(status: status) else {
            Issue.record("no failure")
            return
        }
        #expect(reason.code == "httpStatus")
        #expect(reason.message.hasPrefix("the server answered \(status) "))
        #expect(!FileManager.default.fileExists(atPath: "\(directory.path)/out"))
    }

    @Test func `a file without a place to go to is kept, and the user is told where`() throws {
        try directory.write("", to: "out")
        let kept = "\(directory.path)/data/ferry/unplaced/big.iso"
        guard case .failed(let reason) = try take() else {
            Issue.record("no failure")
            return
        }
        #expect(reason.code == "cannotPlace")
        #expect(
            reason.message
                == "\(directory.path)/out: Not a directory (open); the file is kept as \(kept)"
        )
        #expect(try String(contentsOfFile: kept, encoding: .utf8) == "body")
    }

    @Test func `a file of unknown origin is kept, too`() throws {
        let file = try directory.write("body", to: "CFNetworkDownload_a1b2c3.tmp")
        let outcome = try taker.take(
            URL(fileURLWithPath: file),
            taskDescription: "not ours",
            response: nil,
            url: nil
        )
        #expect(
            outcome == .saved(path: "\(directory.path)/data/ferry/unplaced/download", byteCount: 4)
        )
    }

    @Test func `where nothing can be kept, the file stays in its session's hands`() throws {
        try directory.write("", to: "out")
        try directory.write("", to: "data")
        #expect(throws: FileError.self) { try take() }
        #expect(try directory.text(of: "CFNetworkDownload_a1b2c3.tmp") == "body")
    }

    @Test func `PLACE-2: of several obstacles the end of each is noticed`() throws {
        let out = try directory.directory.openSubdirectory("out").path
        let source = "\(directory.path)/source"
        let destination = Destination(directory: out, name: "file", permissions: 0o644)
        // Only this ends a wait for a change that nobody notices.
        var taker = taker
        taker.pause = .seconds(60)
        try directory.write("body", to: "body")
        _ = try directory.directory.openSubdirectory("source")
        // A socket is not opened, as if its disk did not answer.
        #expect(mknod("\(source)/file", S_IFSOCK | 0o600, 0) == 0)
        var obstacles: [String] = []
        let start = ContinuousClock.now
        let outcome = try taker.take(
            URL(fileURLWithPath: "\(source)/file"),
            taskDescription: try destination.taskDescription,
            response: nil,
            url: nil
        ) { obstacle in
            obstacles.append(obstacle.text)
            switch obstacles.count {
            case 1:
                // The directory of the finished file goes.
                #expect(rename(source, "\(source)-2") == 0)
            case 2:
                // It comes back; nothing changes where the file is to go.
                #expect(rename("\(source)-2", source) == 0)
            default:
                // The file can be opened, which only its own directory tells.
                #expect(rename("\(directory.path)/body", "\(source)/file") == 0)
            }
        }
        #expect(outcome == .saved(path: "\(out)/file", byteCount: 4))
        #expect(ContinuousClock.now - start < taker.pause)
        let mute = "waits for its disk: \(source)/file: No such device or address (open)"
        #expect(obstacles == [mute, "waits for its disk: \(source) is not mounted", mute])
    }

    @Test func `a destination survives as a task's description`() throws {
        let destination = Destination(directory: "/home/a \"b\"", name: "ü", permissions: 0o600)
        #expect(try Destination(taskDescription: destination.taskDescription) == destination)
        #expect(Destination(taskDescription: nil) == nil)
        #expect(Destination(taskDescription: "{}") == nil)
    }
}
