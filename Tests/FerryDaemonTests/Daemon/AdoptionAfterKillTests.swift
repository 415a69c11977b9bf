import FerryStore
import FerrySystem
import FerryTestSupport
import FerryTransfer
import FerryWire
import FoundationEssentials
import Testing

@testable import FerryDaemon

/// What a daemon that was killed while it took over the file of resume data has left.
@Suite(.timeLimit(.minutes(1)))
@LoopActor
struct AdoptionAfterKillTests {
    let bench: DaemonBench
    let server: FixtureServer
    nonisolated static let content = FixtureContent.seeded(1, byteCount: 100)
    nonisolated static let name = "CFNetworkDownload_000001.tmp"

    init() async throws {
        bench = try await DaemonBench()
        server = try FixtureServer()
        server.on("/file", .file(FixtureFile(Self.content)))
    }

    /// The first 40 bytes, and what an application keeps of them.
    private func leavePart() throws -> (file: PartialFile, data: Data) {
        let url = server.url("/file")
        let bytes = Array(Self.content.bytes.prefix(40))
        let file = try bench.leave(bytes, of: url, as: "Resume_left", in: bench.resumable)
        let data = try ResumeData(request: TransferRequest(url: url), file: file)
        return (file, Data(try data.encoded()))
    }

    /// The places at which a kill may have left the file.
    enum Place: CaseIterable {
        case before
        case after
    }

    @Test(arguments: Place.allCases)
    func `a task goes on from its resume data, wherever the kill has left the file`(
        _ place: Place
    ) async throws {
        let (file, data) = try leavePart()
        if place == .after { try file.move(to: bench.downloads, as: Self.name) }
        try await bench.storeTask(server.url("/file"), .unused(data))
        try await bench.start()
        try await bench.work { try await !bench.events().isEmpty }
        #expect(try await bench.events().last?.failure == nil)
        #expect(server.requests(to: "/file").map(\.range) == ["bytes=40-"])
        #expect(
            try bench.downloads.open(Self.name, .read).readToEnd(limit: 1000)
                == Array(Self.content.bytes)
        )
        #expect(try bench.resumable.names() == [])
        await bench.end()
    }

    @Test func `a file whose task is not in the queue stays where its resume data finds it`()
        async throws
    {
        _ = try leavePart()
        try await bench.start()
        await bench.files.queue.run {}
        #expect(try bench.resumable.names() == ["Resume_left"])
        await bench.end()
    }

    /// Cancels the task, and returns the resume data that its application gets.
    private func cancel(_ daemon: Daemon) async throws -> Data? {
        let task = try #require(try await bench.store.task(id: 1))
        daemon.input { machine in
            machine.end(task, .cancelled(for: .nobody, producesResumeData: true))
        }
        try await bench.work { try await !bench.events().isEmpty }
        return try await bench.events().last?.resumeData
    }

    @Test(arguments: Place.allCases)
    func `a task that is cancelled before it goes on loses nothing of its resume data`(
        _ place: Place
    ) async throws {
        let (file, data) = try leavePart()
        if place == .after { try file.move(to: bench.downloads, as: Self.name) }
        try await bench.storeTask(server.url("/file"), state: .suspended, .unused(data))
        let daemon = try await bench.start()
        let left = try #require(try await cancel(daemon))
        try await bench.work { daemon.machine.operationCount == 0 }
        _ = try await bench.files.adopt(left, for: 2, on: BlockingQueue(label: "test"))
        let recovered = try bench.files.file(of: 2).recover(checkpoint: nil)
        #expect(recovered?.writtenByteCount == 40)
        #expect(try bench.resumable.names() == [])
        await bench.end()
    }

    /// Why a file is not taken over.
    enum Obstacle: CaseIterable {
        case diskIsAway
        case fileIsGone
        case dataIsSpoilt
    }

    @Test(arguments: Obstacle.allCases)
    func `a task that is cancelled keeps resume data that may be of use later, and no other`(
        _ obstacle: Obstacle
    ) async throws {
        var (_, data) = try leavePart()
        switch obstacle {
        case .diskIsAway:
            // The daemon before has begun to take the file over to a disk.
            let place = bench.temporary.path + "/disk/.ferry-1"
            try bench.downloads.makeLink(Self.name + ".place", to: place)
        case .fileIsGone: try bench.resumable.remove("Resume_left")
        case .dataIsSpoilt: data = Data("resume".utf8)
        }
        try await bench.storeTask(server.url("/file"), state: .suspended, .unused(data))
        let left = try await cancel(bench.start())
        #expect(left == (obstacle == .diskIsAway ? data : nil))
        await bench.end()
    }
}

extension ByteState {
    /// Of a task whose resume data was not taken over, as far as the store knows.
    fileprivate static func unused(_ data: Data) -> ByteState {
        ByteState(isFromResumeData: true, resumeData: data)
    }
}
