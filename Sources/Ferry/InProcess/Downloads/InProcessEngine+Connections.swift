import FerrySystem
import FerryTransfer

/// Downloads get further connections within the session's limit, and only while no task waits for one.
extension InProcessEngine: ConnectionLender {
    func lend(connectionTo origin: String) -> Bool { takeSpareConnection(host: origin) }

    func takeBack(connectionTo origin: String) { giveConnectionBack(host: origin) }
}
