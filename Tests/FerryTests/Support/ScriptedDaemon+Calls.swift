import FerrySystem
import FerryWire
import FerryWireTestSupport
import Foundation
import Synchronization

extension ScriptedDaemon: TransferCallHandler {
    func connectionDidClose(_ connection: VarlinkConnection, because reason: DisconnectReason) {
        closings.append("closed")
        for (identifier, session) in sessions where session.owner == ObjectIdentifier(connection) {
            sessions[identifier]?.owner = nil
        }
    }

    func handle(_ call: TransferCall, from connection: VarlinkConnection) {
        caller = connection
        switch call {
        case .openSession(let method, let reply): open(method, reply, connection)
        case .streamEvents(_, let reply):
            let name = "stream \(streams.count + 1)"
            streams[name] = reply
            reply.stream(.init(stream: name))
        case .receiveEvents(let method, let reply): receive(method, reply)
        case .holdEvents(let method, let reply):
            answer("HoldEvents \(method.hold)", reply) {
                hold(method)
                return Wire.Empty()
            }
        case .releaseSession(let method, let reply):
            answer("ReleaseSession", reply) {
                if let identifier = identifier(method.session) {
                    sessions[identifier]?.owner = nil
                    subscribers[identifier] = nil
                }
                return Wire.Empty()
            }
        case .createDownload(let method, let reply):
            create(method, reply)
        case .createUpload(let method, let reply):
            createUpload(method, reply)
        case .resume(let method, let reply):
            answer("Resume \(method.identifier)", reply) {
                change(method.session, method.identifier) { $0.state = .running }
            }
        case .suspend(let method, let reply):
            answer("Suspend \(method.identifier)", reply) {
                change(method.session, method.identifier) { $0.state = .suspended }
            }
        case .cancel(let method, let reply):
            answer("Cancel \(method.identifier)", reply) {
                cancel(method.session, method.identifier)
            }
        case .cancelProducingResumeData(let method, let reply):
            answer("CancelProducingResumeData \(method.identifier)", reply) {
                .init(resumeData: nil)
            }
        case .setDescription(let method, let reply):
            answer("SetDescription \(method.identifier) \(method.description ?? "-")", reply) {
                change(method.session, method.identifier) { $0.description = method.description }
            }
        case .setPriority(let method, let reply):
            answer("SetPriority \(method.identifier) \(method.priority)", reply) {
                change(method.session, method.identifier) { $0.priority = method.priority }
            }
        case .setEarliestBegin(let method, let reply):
            answer("SetEarliestBegin \(method.identifier)", reply) {
                change(method.session, method.identifier) {
                    $0.earliestBegin = method.earliestBegin?.date
                }
            }
        case .setOptions(let method, let reply):
            answer("SetOptions \(method.identifier)", reply) {
                change(method.session, method.identifier) { $0.options = method.options }
            }
        case .relink(let method, let reply):
            answer("Relink \(method.identifier) \(method.request?.url ?? "-")", reply) {
                Wire.Empty()
            }
        case .setSessionRates(let method, let reply):
            answer("SetSessionRates \(method.session)", reply) { Wire.Empty() }
        case .begin(let method, let reply):
            answer(
                "Begin \(method.identifier) \(method.question) \(method.request?.url ?? "-")",
                reply
            ) {
                Wire.Empty()
            }
        case .answerChallenge(let method, let reply):
            answer("AnswerChallenge \(method.identifier) \(method.question)", reply) {
                answers.append(method)
                return Wire.Empty()
            }
        case .acknowledge(let method, let reply):
            let sequences = [method.sequence] + (method.otherSequences ?? [])
            acknowledgements.append(sequences)
            answer("Acknowledge \(sequences[sequences.count - 1])", reply) {
                for sequence in sequences { acknowledge(sequence, of: method.session) }
                // Those that came along count as calls of their own.
                for sequence in sequences.dropLast() { calls.append("Acknowledge \(sequence)") }
                return Wire.Empty()
            }
        case .closeSession(let method, let reply):
            answer("CloseSession", reply) {
                if let identifier = identifier(method.session) {
                    sessions[identifier]?.isClosed = true
                    sessions[identifier]?.owner = nil
                }
                return Wire.Empty()
            }
        case .listTasks(let method, let reply):
            answer("ListTasks \(method.after ?? 0)", reply) { list(method) }
        default: administer(call)
        }
    }

    func answer<Method: TransferMethod>(
        _ text: String,
        _ reply: Reply<Method>,
        _ body: () -> Method.Reply
    ) {
        var behaviour = Behaviour.answer
        if let next = behaviours[Method.name]?.first {
            behaviour = next
            behaviours[Method.name]?.removeFirst()
        }
        switch behaviour {
        case .answer: reply.success(body())
        case .keepSilent:
            _ = body()
            silenced.append(reply)
        case .refuse(let error): reply.failure(error)
        case .die(let afterwards):
            if afterwards { _ = body() }
            silenced.append(reply)
            caller?.close()
        case .answerLater(let delay, let willAnswer):
            let value = body()
            _ = EventLoop.shared.schedule(after: delay) {
                willAnswer()
                reply.success(value)
            }
        }
        calls.append(text)
    }

    private func open(
        _ method: Wire.OpenSession,
        _ reply: Reply<Wire.OpenSession>,
        _ connection: VarlinkConnection
    ) {
        guard refusesOpening.isEmpty else { return reply.failure(refusesOpening.removeFirst()) }
        answer("OpenSession \(method.identifier)", reply) {
            applications.append(method.application)
            var session =
                sessions[method.identifier]
                ?? Session(number: 0, configuration: method.configuration)
            // One that holds something keeps its number, and one that was empty begins anew.
            if session.tasks.isEmpty && session.events.isEmpty || session.number == 0 {
                nextNumber += 1
                session.number = nextNumber
            }
            session.owner = ObjectIdentifier(connection)
            session.configuration = method.configuration
            session.isClosed = false
            sessions[method.identifier] = session
            return .init(
                session: session.number,
                nextTaskIdentifier: session.nextTaskIdentifier
            )
        }
    }

    private func receive(_ method: Wire.ReceiveEvents, _ reply: Reply<Wire.ReceiveEvents>) {
        calls.append("ReceiveEvents")
        guard let identifier = identifier(method.session), let session = sessions[identifier],
            streams[method.stream] != nil
        else { return reply.failure(.sessionNotOpen(session: method.session)) }
        subscribers[identifier] = method.stream
        held[identifier] = nil
        reply.success()
        for event in session.events { send(event, to: identifier) }
        send(Wire.Event(kind: .drained), to: identifier)
    }

    private func hold(_ method: Wire.HoldEvents) {
        guard let identifier = identifier(method.session) else { return }
        if method.hold {
            held[identifier] = held[identifier] ?? []
        } else {
            let events = held.removeValue(forKey: identifier) ?? []
            for event in events { send(event, to: identifier) }
        }
    }

    /// Notes what is asked for with a task's creation as if it was asked for alone: which it is
    /// depends on whether the app or the loop is quicker.
    private func create(_ method: Wire.CreateDownload, _ reply: Reply<Wire.CreateDownload>) {
        let task = method.identifier
        answer("CreateDownload \(task)", reply) { create(method) }
        if let description = method.description {
            calls.append("SetDescription \(task) \(description)")
        }
        if method.priority != 0.5 { calls.append("SetPriority \(task) \(method.priority)") }
        if method.resumed == true { calls.append("Resume \(task)") }
    }

    /// Takes on an upload as it does a download, and reads its file at once.
    private func createUpload(_ method: Wire.CreateUpload, _ reply: Reply<Wire.CreateUpload>) {
        let file = reply.takeFile()
        let content = file.flatMap { Self.content(of: $0.file) }
        let create = Wire.CreateDownload(
            session: method.session,
            identifier: method.identifier,
            request: method.request,
            description: method.description,
            priority: method.priority,
            resumed: method.resumed,
            earliestBegin: method.earliestBegin,
            options: method.options
        )
        let text = "CreateUpload \(method.identifier)"
        answer(text, reply) {
            let id = self.create(create).id
            let count = Int64(content?.count ?? -1)
            if let identifier = identifier(method.session) {
                sessions[identifier]?.tasks[method.identifier]?.upload = Wire.Upload(
                    byteCount: count,
                    sentByteCount: 0
                )
            }
            uploads[method.path] = content
            return .init(id: id)
        }
        if method.resumed == true { calls.append("Resume \(method.identifier)") }
    }

    /// What is in a file; its calls are not the loop's to make.
    private static func content(of file: UserFile) -> [UInt8]? {
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
        return content.withLock { $0 }
    }

    private func create(_ method: Wire.CreateDownload) -> Wire.CreateDownload.Reply {
        guard let identifier = identifier(method.session), var session = sessions[identifier] else {
            return .init(id: 0)
        }
        if let task = session.tasks[method.identifier] { return .init(id: task.id) }
        session.nextTaskIdentifier = max(session.nextTaskIdentifier, method.identifier + 1)
        session.tasks[method.identifier] = Wire.Task(
            id: nextID,
            application: "",
            session: identifier,
            identifier: method.identifier,
            state: method.resumed == true ? .running : .suspended,
            description: method.description,
            priority: method.priority,
            originalRequest: Encoded(method.request),
            receivedByteCount: 0,
            attempts: 0,
            created: Date(timeIntervalSince1970: 0),
            earliestBegin: method.earliestBegin?.date,
            options: method.options
        )
        sessions[identifier] = session
        nextID += 1
        return .init(id: nextID - 1)
    }

    private func change(
        _ session: Int64,
        _ task: Int,
        _ body: (inout Wire.Task) -> Void
    ) -> Wire.Empty {
        if let identifier = identifier(session), sessions[identifier]?.tasks[task] != nil {
            sessions[identifier]?.tasks[task].map { task in
                var changed = task
                body(&changed)
                sessions[identifier]?.tasks[task.identifier] = changed
            }
        }
        return Wire.Empty()
    }

    private func cancel(_ session: Int64, _ task: Int) -> Wire.Empty {
        if let identifier = identifier(session), sessions[identifier]?.tasks[task] != nil {
            let failure = Wire.Failure(code: "cancelled", message: "")
            emit(Wire.Event(kind: .completed, task: task, failure: failure), in: identifier)
        }
        return Wire.Empty()
    }

    private func acknowledge(_ sequence: Int64, of session: Int64) {
        guard let identifier = identifier(session) else { return }
        let event = sessions[identifier]?.events.first { $0.sequence == sequence }
        sessions[identifier]?.events.removeAll { $0.sequence == sequence }
        if let task = event?.task {
            sessions[identifier]?.tasks[task] = nil
        }
    }

    private func list(_ method: Wire.ListTasks) -> Wire.ListTasks.Reply {
        let all =
            method.session.map { sessions[$0].map { Array($0.tasks.values) } ?? [] }
            ?? sessions.values.flatMap(\.tasks.values)
        if let brokenPage, method.after == brokenPage {
            return .init(tasks: Encoded(text: Array("[{}]".utf8)), next: nil)
        }
        let rest = all.filter { $0.id > method.after ?? 0 }.sorted { $0.id < $1.id }
        let page = Array(rest.prefix(min(method.limit ?? .max, pageLength)))
        return .init(
            tasks: Encoded(method.summarizes == true ? [] : page),
            summaries: method.summarizes.map { _ in
                Encoded(page.map { Wire.TaskSummary.sample(id: $0.id) })
            },
            next: page.count < rest.count ? page.last?.id : nil
        )
    }

    func identifier(_ number: Int64) -> String? {
        sessions.first { $0.value.number == number }?.key
    }
}
