import HalfTunesTestSupport
import Synchronization

/// The part of a desktop that shows files.
final class FileManagerService: Sendable {
    private let log = Mutex<[String]>([])

    /// The addresses of the files that were shown.
    var shown: [String] { log.withLock { $0 } }

    /// Answers what apps ask of it over a bus.
    func serve(_ bus: MessageBus, _ changes: Changes) throws {
        let interface = "org.freedesktop.FileManager1"
        bus.filter { [weak self] message in
            guard !message.isSignal, message.interface == interface else { return nil }
            self?.log.withLock { $0 += message.arguments[0].values.map(\.text) }
            changes.record()
            return .tuple()
        }
        try bus.callBus("RequestName", .tuple(.string(interface), .number(UInt32(0))))
    }
}
