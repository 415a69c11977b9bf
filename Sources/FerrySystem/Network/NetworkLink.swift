import Glibc

/// A network interface, as far as it matters here.
struct NetworkLink: Hashable, Sendable {
    /// The kernel's number of it.
    var index: Int32
    /// Whether packets to other machines can leave by it.
    var isUsable: Bool

    /// Makes a link.
    ///
    /// - Parameters:
    ///   - index: The kernel's number of it.
    ///   - flags: As netdevice(7) has them; `IFF_RUNNING` says that it has a carrier and may send.
    init(index: Int32, flags: UInt32) {
        let needed = UInt32(IFF_UP | IFF_RUNNING)
        self.index = index
        isUsable = flags & needed == needed && flags & UInt32(IFF_LOOPBACK) == 0
    }
}
