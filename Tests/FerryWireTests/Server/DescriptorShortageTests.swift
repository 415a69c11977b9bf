import FerrySystem
import FerryTestSupport
import FerryWireTestSupport
import Foundation
import Glibc
import Testing

@testable import FerryWire

@Suite(
    .timeLimit(.minutes(1)),
    .disabled(
        if: ProcessEnvironment["TSAN_OPTIONS"] != nil,
        "without descriptors the thread sanitizer cannot apply its suppressions"
    )
)
struct DescriptorShortageTests {
    @Test func `a server without descriptors neither spins nor forgets who waits`() async {
        // A process of its own, since all its descriptors are used up.
        await #expect(processExitsWith: .success) {
            let daemon = try await TestDaemon()
            let witness = try daemon.connect()
            try witness.call("GetStatus")
            _ = try witness.receive()
            // The loop's own descriptors exist from here on.
            await LoopActor.run { EventLoop.shared.schedule(after: .zero) {}.cancel() }
            var limit = rlimit(rlim_cur: 256, rlim_max: 256)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            var fillers: [Int32] = []
            let waiting = try LoopActor.blocked {
                let waiting = try daemon.connect()
                while case let filler = dup(witness.descriptor), filler >= 0 {
                    fillers.append(filler)
                }
                return waiting
            }
            try waiting.call("GetStatus")
            let before = processorTime()
            // Connected clients are served meanwhile, and nobody is accepted.
            for _ in 0..<100 {
                try witness.call("GetStatus")
                try #require(try witness.receive() != nil)
            }
            try #require(!waiting.hasInput)
            // Room for the one that waits; the server looks again after a second.
            for filler in fillers { close(filler) }
            try #require(try waiting.receive() != nil)
            try #require(processorTime() - before < 0.5)
        }
    }

    @Test func `REL-14: a call whose file finds no descriptor is refused for now`() async {
        await #expect(processExitsWith: .success) {
            let daemon = try await TestDaemon { call, _ in
                guard case .createUpload(_, let reply) = call else {
                    return TestDaemon.answer(call)
                }
                reply.success(.init(id: reply.takeFile() == nil ? 0 : 7))
            }
            let client = try daemon.client()
            _ = try await client.call(Wire.GetStatus())
            try daemon.place.write("one", to: "one")
            let file = UserFile(try daemon.place.directory.open("one", .read))
            let create = Wire.CreateUpload(
                session: 5,
                identifier: 1,
                request: Samples.request,
                path: "/one",
                priority: 0.5
            )
            var limit = rlimit(rlim_cur: 256, rlim_max: 256)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            var fillers: [Int32] = []
            while case let filler = dup(file.number), filler >= 0 { fillers.append(filler) }
            let error = await #expect(throws: CallError.self) {
                try await client.call(create, file: file)
            }
            guard case .refused(.resourceUnavailable) = error else {
                try #require(Bool(false), "\(String(describing: error))")
                return
            }
            // The connection goes on, and takes the call when there is a descriptor.
            _ = try await client.call(Wire.GetStatus())
            for filler in fillers { close(filler) }
            try #require(try await client.call(create, file: file).id == 7)
        }
    }

    @Test func `REL-14: no more files are taken at once than there are descriptors for`()
        async throws
    {
        var limits = VarlinkServer.Limits()
        limits.pendingFileCount = 2
        let (held, arrived) = AsyncStream<Reply<Wire.CreateUpload>>.makeStream()
        let daemon = try await TestDaemon(limits: limits) { call, _ in
            if case .createUpload(_, let reply) = call { arrived.yield(reply) }
        }
        let client = try daemon.client()
        try daemon.place.write("one", to: "one")
        let file = UserFile(try daemon.place.directory.open("one", .read))
        let (answers, answered) = AsyncStream<Int64>.makeStream()
        for identifier in 1...5 {
            let create = Wire.CreateUpload(
                session: 5,
                identifier: identifier,
                request: Samples.request,
                path: "/one",
                priority: 0.5
            )
            client.call(create, file: file) { answered.yield((try? $0.get().id) ?? -1) }
        }
        var replies: [Reply<Wire.CreateUpload>] = []
        var next = held.makeAsyncIterator()
        for _ in 1...2 { replies.append(try #require(await next.next())) }
        // Each answer makes room for one more.
        for identifier in 1...5 {
            let reply = replies.removeFirst()
            #expect(replies.count <= 1)
            await LoopActor.run { reply.success(.init(id: Int64(identifier))) }
            if identifier <= 3 { replies.append(try #require(await next.next())) }
        }
        var ends = answers.makeAsyncIterator()
        for identifier in 1...5 { #expect(await ends.next() == Int64(identifier)) }
    }
}

/// The seconds that the process has computed for.
private func processorTime() -> Double { Double(clock()) / Double(CLOCKS_PER_SEC) }
