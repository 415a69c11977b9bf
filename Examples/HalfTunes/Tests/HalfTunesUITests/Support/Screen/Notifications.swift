import HalfTunesTestSupport
import Synchronization

/// The part of a desktop that shows notifications.
final class Notifications: Sendable {
    private let log = Mutex<[Notification]>([])

    /// A notification that an app has sent.
    struct Notification: Equatable {
        var title: String
        var body: String
    }

    /// What was shown.
    var shown: [Notification] { log.withLock { $0 } }

    /// Answers what apps ask of it over a bus.
    func serve(_ bus: MessageBus, _ changes: Changes) throws {
        let interface = "org.freedesktop.Notifications"
        bus.filter { [weak self] message in
            guard !message.isSignal, message.interface == interface else { return nil }
            return self?.answer(message, changes)
        }
        try bus.callBus("RequestName", .tuple(.string(interface), .number(UInt32(0))))
    }

    private func answer(_ message: BusMessage, _ changes: Changes) -> Variant? {
        switch message.member {
        case "Notify":
            let texts = message.arguments.map(\.text)
            let count = log.withLock { log in
                log.append(Notification(title: texts[3], body: texts[4]))
                return log.count
            }
            changes.record()
            return .tuple(.number(UInt32(count)))
        case "GetCapabilities":
            return .tuple(.strings(["body", "actions"]))
        case "GetServerInformation":
            return .tuple(.string("Tests"), .string("Ferry"), .string("1"), .string("1.2"))
        default:
            return .tuple()
        }
    }
}
