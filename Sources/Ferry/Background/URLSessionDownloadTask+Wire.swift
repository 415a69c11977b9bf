import FerryHTTP
import FerryWire
import Foundation
import FoundationNetworking

extension URLSessionDownloadTask {
    /// A task from an earlier launch of the app.
    convenience init(_ task: Wire.Task, of core: SessionCore, session: URLSession) {
        self.init(
            identifier: task.identifier,
            core: core,
            storage: Storage(task, session: session)
        )
    }

    /// A task that is known only from an event.
    convenience init(
        identifier: Int,
        of core: SessionCore,
        session: URLSession,
        _ event: Wire.Event
    ) {
        var storage = Storage(event, session: session)
        storage.counts.received = event.receivedByteCount ?? 0
        self.init(identifier: identifier, core: core, storage: storage)
    }

    private convenience init(identifier: Int, core: SessionCore, storage: Storage) {
        var storage = storage
        storage.deliveries = Deliveries(toldByteCount: storage.counts.received)
        self.init(
            identifier: identifier,
            core: core,
            backend: core.backend,
            recipient: .delegate,
            storage: storage
        )
    }
}
