import FerrySystem
import FerryWire
import Glibc

/// The system's journal, over its native protocol.
///
/// Source: systemd's "Native Journal Protocol": datagrams of `KEY=value` lines.
struct JournalLog: LogDestination {
    private static let path = "/run/systemd/journal/socket"
    private let socket: Int32

    /// The log's description for clients.
    var description: Wire.Log { Wire.Log(kind: .journal) }

    /// Connects to the journal; `nil` if there is none.
    init?() {
        guard access(Self.path, W_OK) == 0 else { return nil }
        let opened = Glibc.socket(
            AF_UNIX,
            Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue),
            0
        )
        guard opened >= 0 else { return nil }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Self.path.utf8) }
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(opened, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isConnected else {
            close(opened)
            return nil
        }
        socket = opened
    }

    /// Writes a line, with the task in a separate field.
    func write(_ line: LogLine) {
        var text = "SYSLOG_IDENTIFIER=ferryd\nPRIORITY=\(line.level.rawValue)\n"
        if let task = line.task { text += "FERRY_TASK=\(task)\n" }
        let subject = line.task.map { "task \($0): " } ?? ""
        // A message never contains a line break, which would need the protocol's binary form.
        text += "MESSAGE=\(subject)\(line.message)\n"
        let bytes = Array(text.utf8)
        _ = send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }
}
