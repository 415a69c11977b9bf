import Testing

@testable import FerryWire

/// A call of a method and its reply with all their members.
struct MethodSample: Sendable, CustomTestStringConvertible {
    let name: String
    let parameters: any Codable & Hashable & Sendable
    let reply: any Codable & Hashable & Sendable
    let testDescription: String

    private init<Method: TransferMethod>(_ method: Method, _ reply: Method.Reply) {
        name = Method.name
        parameters = method
        self.reply = reply
        testDescription = Method.name
    }

    static let all: [MethodSample] = [
        MethodSample(
            Wire.OpenSession(
                application: Samples.application,
                identifier: "music",
                configuration: Samples.configuration
            ),
            .init(session: 5, nextTaskIdentifier: 4, token: "0f")
        ),
        MethodSample(
            Wire.CreateDownload(
                session: 5,
                identifier: 4,
                request: Samples.request,
                resumeData: .init([1]),
                description: "Track 4",
                priority: 0.75,
                resumed: true,
                earliestBegin: Samples.earliestBegin,
                options: Samples.options
            ),
            .init(id: 9)
        ),
        MethodSample(
            Wire.CreateUpload(
                session: 5,
                identifier: 4,
                request: Samples.request,
                path: "/home/someone/file",
                resumeData: .init([1]),
                description: "Track 4",
                priority: 0.75,
                resumed: true,
                earliestBegin: Samples.earliestBegin,
                options: Samples.options
            ),
            .init(id: 9)
        ),
        MethodSample(Wire.Resume(session: 5, identifier: 4), .init()),
        MethodSample(Wire.Suspend(session: 5, identifier: 4), .init()),
        MethodSample(Wire.Cancel(session: 5, identifier: 4), .init()),
        MethodSample(
            Wire.CancelProducingResumeData(session: 5, identifier: 4),
            .init(resumeData: .init([1]))
        ),
        MethodSample(Wire.SetDescription(session: 5, identifier: 4, description: "4"), .init()),
        MethodSample(Wire.SetPriority(session: 5, identifier: 4, priority: 0.25), .init()),
        MethodSample(
            Wire.SetEarliestBegin(
                session: 5,
                identifier: 4,
                earliestBegin: Samples.earliestBegin
            ),
            .init()
        ),
        MethodSample(
            Wire.SetOptions(session: 5, identifier: 4, options: Samples.options),
            .init()
        ),
        MethodSample(
            Wire.Relink(session: 5, identifier: 4, question: 12, request: Samples.request),
            .init()
        ),
        MethodSample(Wire.RelinkTask(id: 9, url: "https://example.com/b"), .init()),
        MethodSample(Wire.SetSessionRates(session: 5, receiveRate: 1, sendRate: 2), .init()),
        MethodSample(
            Wire.Begin(session: 5, identifier: 4, question: 12, request: Samples.request),
            .init()
        ),
        MethodSample(
            Wire.AnswerChallenge(
                session: 5,
                identifier: 4,
                question: 12,
                disposition: .use,
                user: "someone",
                password: "secret",
                identity: Samples.identity,
                isKept: true,
                answersNoOthers: true
            ),
            .init()
        ),
        MethodSample(Wire.Acknowledge(session: 5, sequence: 17), .init()),
        MethodSample(Wire.CloseSession(session: 5, cancel: true), .init()),
        MethodSample(Wire.Subscribe(session: 5, token: "0f"), .init(event: Samples.event)),
        MethodSample(
            Wire.ListTasks(
                application: "org.example.app",
                session: "music",
                states: [.running],
                after: 8,
                limit: 100
            ),
            .init(tasks: [Samples.task], next: 9)
        ),
        MethodSample(Wire.GetTask(id: 9), .init(task: Samples.task)),
        MethodSample(Wire.WatchTasks(ids: [9]), .init(tasks: [Samples.task], removed: [8])),
        MethodSample(Wire.PauseTask(id: 9), .init()),
        MethodSample(Wire.ResumeTask(id: 9), .init()),
        MethodSample(Wire.CancelTask(id: 9), .init()),
        MethodSample(Wire.SetTaskRates(id: 9, receiveRate: 1, sendRate: 2), .init()),
        MethodSample(Wire.SetTaskPriority(id: 9, priority: 0.75), .init()),
        MethodSample(Wire.SetRates(receiveRate: 1, sendRate: 2), .init()),
        MethodSample(Wire.ListHooks(), .init(hooks: [Samples.hook])),
        MethodSample(Wire.RemoveHook(application: "org.example.app"), .init()),
        MethodSample(Wire.QuitApplication(application: "org.example.app"), .init(cancelled: 3)),
        MethodSample(Wire.GetStatus(), .init(status: Samples.status)),
        MethodSample(Wire.Stop(), .init()),
    ]
}
