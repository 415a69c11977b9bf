import FerrySystem
import FerryTestSupport
import Foundation
import Glibc
import Testing

@testable import FerryWire

@Suite(.timeLimit(.minutes(1))) struct SocketLocationsTests {
    private let place: TemporaryDirectory
    private let base: BaseDirectories
    private let locations: SocketLocations

    init() throws {
        place = try TemporaryDirectory()
        _ = try place.directory.openSubdirectory("runtime")
        base = BaseDirectories(environment: [
            "HOME": place.path, "XDG_RUNTIME_DIR": place.path + "/runtime",
            "XDG_STATE_HOME": place.path + "/state",
        ])
        locations = SocketLocations(base)
    }

    private func claim(_ locations: SocketLocations) throws -> [FileDescriptorBox] {
        try locations.withStartLock { () throws(DaemonError) in try locations.claim() }
            .map { FileDescriptorBox(owning: $0.descriptor) }
    }

    @Test func `the runtime directory comes first, the state home always`() {
        #expect(
            locations.sockets == [
                place.path + "/runtime/ferry/io.ferry.Transfer",
                place.path + "/state/ferry/run/io.ferry.Transfer",
            ]
        )
        let without = SocketLocations(
            BaseDirectories(environment: ["HOME": "/home/someone", "XDG_RUNTIME_DIR": "relative"])
        )
        #expect(
            without.sockets == ["/home/someone/.local/state/ferry/run/io.ferry.Transfer"]
        )
    }

    @Test func `nobody listens where nothing is, and looking creates nothing`() throws {
        #expect(try locations.connect() == nil)
        #expect(try place.directory.names().sorted() == ["runtime"])
    }

    @Test func `claimed sockets are private, lie in both places and can be connected to`() throws {
        let sockets = try claim(locations)
        #expect(sockets.count == 2)
        for path in locations.sockets {
            var status = stat()
            #expect(stat(path, &status) == 0)
            #expect(status.st_mode & 0o7777 == 0o600)
            #expect(stat(URL(filePath: path).deletingLastPathComponent().path, &status) == 0)
            #expect(status.st_mode & 0o7777 == 0o700)
        }
        let client = try #require(try connectedBox())
        // The runtime directory's is the one that was connected to.
        #expect(accept4(sockets[0].descriptor) == true)
        #expect(accept4(sockets[1].descriptor) == false)
        _ = client
    }

    @Test func `without a runtime directory the state home does`() throws {
        let locations = SocketLocations(
            BaseDirectories(environment: ["XDG_STATE_HOME": place.path + "/state"])
        )
        let sockets = try claim(locations)
        #expect(sockets.count == 1)
        // A client in a login session finds a daemon that was started outside one.
        #expect(try self.locations.connect() != nil)
    }

    @Test func `sockets that no process listens on any more are replaced`() throws {
        for _ in 0..<3 {
            let sockets = try claim(locations)
            #expect(sockets.count == 2)
            #expect(try locations.connect() != nil)
        }
        #expect(try locations.connect() == nil)
    }

    @Test func `whoever listens already is named`() throws {
        let sockets = try claim(locations)
        let error = #expect(throws: DaemonError.self) { try claim(locations) }
        #expect(error == .alreadyRunning(socket: locations.sockets[0], pid: getpid()))
        _ = sockets
    }

    @Test func `a socket that the process has already is left alone`() throws {
        let sockets = try claim(locations)
        var other = sockets
        other.removeLast()
        let claimed = try locations.withStartLock { () throws(DaemonError) in
            try locations.claim(besides: [locations.sockets[0], locations.sockets[1]])
        }
        #expect(claimed == [])
        _ = (sockets, other)
    }

    @Test func `a socket that is left out is not connected to`() throws {
        let sockets = try claim(locations)
        let client = try locations.connect(besides: [locations.sockets[0]])
        #expect(accept4(sockets[0].descriptor) == false)
        #expect(accept4(sockets[1].descriptor) == true)
        _ = consume client
        let isNone = try locations.connect(besides: locations.sockets) == nil
        #expect(isNone)
    }

    @Test func `abandoned sockets are removed, live ones stay`() throws {
        do { _ = try claim(locations) }
        let runtimeOnly = try #require(
            try locations.withStartLock { () throws(DaemonError) in
                try locations.claim(besides: [locations.sockets[1]])
            }.first
        )
        let box = FileDescriptorBox(owning: runtimeOnly.descriptor)
        try locations.withStartLock { () throws(DaemonError) in try locations.removeAbandoned() }
        #expect(access(locations.sockets[0], F_OK) == 0)
        #expect(access(locations.sockets[1], F_OK) == -1)
        _ = box
    }

    @Test(arguments: ["runtime/ferry", "state/ferry", "state/ferry/run"], [0o770, 0o702])
    func `a directory that others can write to is refused`(name: String, mode: Int) throws {
        do { _ = try claim(locations) }
        chmod(place.path + "/" + name, mode_t(mode))
        let error = #expect(throws: DaemonError.self) { _ = try locations.connect() }
        #expect(error == .unsafeDirectory(path: place.path + "/" + name))
        #expect(error?.description.contains("chmod 700") == true)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a directory away"))
    func `a directory that belongs to somebody else is refused`() throws {
        do { _ = try claim(locations) }
        chown(place.path + "/state/ferry/run", 12345, 12345)
        #expect(throws: DaemonError.unsafeDirectory(path: place.path + "/state/ferry/run")) {
            _ = try locations.connect()
        }
    }

    @Test func `a runtime directory that cannot be used is left out`() throws {
        // A file is where the directory should be.
        _ = try Directory(opening: place.path + "/runtime").open("ferry", .create)
        #expect(throws: DaemonError.self) { _ = try locations.connect() }
    }

    @Test func `a place that cannot be written is an error that names it`() throws {
        _ = try place.directory.open("state", .create)
        let error = #expect(throws: DaemonError.self) { try claim(locations) }
        #expect(error?.description.contains(place.path + "/state") == true)
    }

    @Test func `where not all sockets can be made, no process listens on the others`() async {
        // A program that another test starts just now would have a copy of the socket for a moment.
        await #expect(processExitsWith: .success) {
            let bench = try SocketLocationsTests()
            let locations = bench.locations
            do { _ = try bench.claim(locations) }
            // A directory is where the last socket should be.
            unlink(locations.sockets[1])
            mkdir(locations.sockets[1], 0o700)
            #expect(throws: DaemonError.self) { try bench.claim(locations) }
            #expect(access(locations.sockets[0], F_OK) == 0)
            let isServed = try locations.connect() != nil
            #expect(!isServed)
        }
    }

    private func connectedBox() throws -> FileDescriptorBox? {
        guard let socket = try locations.connect() else { return nil }
        return FileDescriptorBox(owning: socket.release())
    }

    /// Whether a connection waits.
    private func accept4(_ listener: Int32) -> Bool {
        let descriptor = Glibc.accept(listener, nil, nil)
        if descriptor >= 0 { close(descriptor) }
        return descriptor >= 0
    }

    @Test func `REL-10: a directory whose path is too long for a queue is refused`() throws {
        let place = try TemporaryDirectory()
        let name = String(repeating: "x", count: 200)
        let path = "\(place.path)/\(name)/\(name)/\(name)"
        let limit = StateDirectory.maximumPathByteCount
        #expect(throws: DaemonError.pathTooLong(path: path, limit: limit)) {
            try StateDirectory.open(path)
        }
        #expect(try place.directory.names() == [])
    }
}
