import FerryTestSupport
import FerryWire

/// The tasks of a real ferryd, as a client sees them that watches all of them.
struct TaskWatch {
    private let client: VarlinkClient
    private var replies: AsyncStream<StreamReply<Wire.WatchTasks.Reply>>.Iterator
    private var tasks: [Int64: Wire.Task] = [:]

    /// Starts to watch, and ferryd if it does not run.
    init(of home: TestHome) throws {
        client = VarlinkClient(try DaemonStarter(environment: home.environment).connect())
        let (stream, continuation) = AsyncStream<StreamReply<Wire.WatchTasks.Reply>>.makeStream()
        client.stream(Wire.WatchTasks()) { continuation.yield($0) }
        replies = stream.makeAsyncIterator()
    }

    /// Returns when a condition holds for the tasks, which are in the order of their creation.
    ///
    /// - Throws: `CancellationError` when the test's time is over, or the connection.
    mutating func until(_ holds: ([Wire.Task]) -> Bool) async throws {
        while !holds(tasks.values.sorted { $0.id < $1.id }) {
            guard case .next(let page) = await replies.next(isolation: #isolation) else {
                throw CancellationError()
            }
            for task in page.tasks { tasks[task.id] = task }
            for task in page.removed { tasks[task] = nil }
        }
    }
}
