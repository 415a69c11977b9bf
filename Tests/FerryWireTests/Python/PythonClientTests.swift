import FerryHTTP
import FerrySystem
import FerryTestSupport
import FerryWireTestSupport
import Foundation
import Testing

@testable import FerryWire

/// The server against a client that others wrote: the PyPI package `varlink`.
@Suite(.timeLimit(.minutes(1))) struct PythonClientTests {
    private func run(
        _ script: String,
        _ daemon: TestDaemon,
        _ arguments: String...
    ) async throws -> [JSONValue] {
        let python = PythonScript(name: script, place: daemon.place)
        let socket = daemon.place.directory.path(of: "socket")
        let outcome = try await python.run([socket] + arguments)
        #expect(outcome.exit == .exited(status: 0), "\(outcome.errors)")
        return outcome.output
    }

    @Test func `python lists tasks page by page`() async throws {
        let pages = Recorder<Wire.ListTasks>()
        let daemon = try await TestDaemon { call, _ in
            guard case .listTasks(let list, let reply) = call else { return }
            pages.append(list)
            let start = list.after ?? 0
            let tasks = (start + 1...min(start + 2, 5)).map { id in
                var task = Samples.task
                task.id = id
                // Everything that may be left out is, in one of them.
                if id == 2 {
                    task = Wire.Task(
                        id: 2,
                        application: "a",
                        session: "s",
                        identifier: 1,
                        state: .running,
                        priority: 0.5,
                        originalRequest: Encoded(
                            Wire.Request(
                                url: "http://localhost",
                                method: "GET",
                                fields: [],
                                idleTimeout: 0
                            )
                        ),
                        receivedByteCount: 0,
                        attempts: 0,
                        created: Samples.date
                    )
                }
                return task
            }
            reply.success(.init(tasks: Encoded(tasks), next: start + 2 < 5 ? start + 2 : nil))
        }
        let output = try #require(try await run("list.py", daemon, "org.example.app").first)
        #expect(
            output["interfaces"]
                == .array([.string("io.ferry.Transfer"), .string("org.varlink.service")])
        )
        guard case .array(let tasks) = try #require(output["tasks"]) else { return }
        #expect(tasks.map { $0["id"]?.int } == [1, 2, 3, 4, 5])
        #expect(tasks[0]["originalRequest"]?["method"] == .string("POST"))
        #expect(tasks[0]["wait"]?["reason"] == .string("backoff"))
        #expect(tasks[1]["wait"] == nil)
        #expect(pages.elements.map(\.after) == [nil, 2, 4])
        #expect(pages.elements.allSatisfy { $0.application == "org.example.app" && $0.limit == 2 })
    }

    @Test func `python adds a task, follows its events and acknowledges the final ones`()
        async throws
    {
        let log = Recorder<String>()
        let daemon = try await TestDaemon { call, _ in
            switch call {
            case .openSession(let open, let reply):
                log.append("open \(open.application.identifier) \(open.identifier)")
                #expect(open.application.launch == nil)
                #expect(open.configuration.additionalFields == [Samples.field])
                reply.success(.init(session: 5, nextTaskIdentifier: 3))
            case .createDownload(let create, let reply):
                log.append("create \(create.session) \(create.identifier) \(create.request.url)")
                #expect(create.resumeData == nil)
                reply.success(.init(id: 1 << 40))
            case .resume(let resume, let reply):
                log.append("resume \(resume.session) \(resume.identifier)")
                reply.success()
            case .subscribe(let subscribe, let reply):
                log.append("subscribe \(subscribe.session)")
                for event in [
                    Wire.Event(kind: .drained),
                    Wire.Event(kind: .progress, task: 3, receivedByteCount: 1 << 40),
                    Wire.Event(kind: .completed, sequence: 1, task: 3, path: "/file"),
                ] { reply.stream(.init(event: event)) }
                reply.success(.init(event: .init(kind: .drained)))
            case .acknowledge(let acknowledge, let reply):
                log.append("acknowledge \(acknowledge.sequence)")
                reply.success()
            default:
                log.append("\(call)")
            }
        }
        let output = try await run(
            "add.py",
            daemon,
            "org.example.app",
            "music",
            "http://localhost/a",
            "--follow"
        )
        #expect(output.first?["id"] == .int(1 << 40))
        #expect(
            output.dropFirst().map { $0["kind"]?.string }
                == ["drained", "progress", "completed"]
        )
        #expect(output.count == 4 && output[2]["receivedByteCount"] == .int(1 << 40))
        #expect(
            log.elements == [
                "open org.example.app music", "create 5 3 http://localhost/a", "resume 5 3",
                "subscribe 5", "acknowledge 1",
            ]
        )
    }

    @Test func `python watches tasks until they are done`() async throws {
        let daemon = try await TestDaemon { call, _ in
            guard case .watchTasks(let watch, let reply) = call else { return }
            #expect(watch.ids == [7, 8])
            #expect(reply.isStream)
            var task = Samples.task
            task.id = 7
            for state in [Wire.TaskState.waiting, .running, .completed] {
                task.state = state
                reply.stream(.init(tasks: [task], removed: state == .running ? [8] : []))
            }
        }
        let output = try await run("watch.py", daemon, "7", "8")
        let states = output.map { reply -> String? in
            guard case .array(let tasks) = reply["tasks"] else { return nil }
            return tasks.first?["state"]?.string
        }
        #expect(states == ["waiting", "running", "completed"])
        // The script leaves in the middle of the stream, as a person does.
        await daemon.waitUntilClosed()
    }

    @Test func `python learns the names of errors`() async throws {
        let daemon = try await TestDaemon { call, _ in
            guard case .getTask(let task, let reply) = call else { return }
            reply.failure(.taskNotFound(id: task.id))
        }
        let output = try #require(try await run("errors.py", daemon).first)
        #expect(
            output["errors"]
                == .array([
                    .string("org.varlink.service.InterfaceNotFound"),
                    .string("org.varlink.service.InvalidParameter"),
                    .string("org.varlink.service.ExpectedMore"),
                    .string("io.ferry.Transfer.TaskNotFound"),
                ])
        )
        #expect(output["parameters"] == .object(["id": .int(404)]))
    }
}
