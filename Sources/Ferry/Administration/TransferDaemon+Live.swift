import FerryWire

extension TransferDaemon.Backend {
    /// The daemon itself.
    static func live(startsIfNeeded: Bool) -> Self {
        live(AdministrationConnection(startsIfNeeded: startsIfNeeded))
    }

    static func live(_ connection: AdministrationConnection) -> Self {
        Self(
            page: { (query, last, limit) throws(TransferDaemonError) in
                TransferDaemon.Page(
                    try await connection.call(Wire.ListTasks(query, after: last, limit: limit))
                )
            },
            transfer: { (id) throws(TransferDaemonError) in
                .init(try await connection.call(Wire.GetTask(id: Int64(id))).task)
            },
            changes: { ids in TransferDaemon.ChangeFeed(connection, ids).stream },
            pause: { (id) throws(TransferDaemonError) in
                _ = try await connection.call(Wire.PauseTask(id: Int64(id)))
            },
            resume: { (id) throws(TransferDaemonError) in
                _ = try await connection.call(Wire.ResumeTask(id: Int64(id)))
            },
            cancel: { (id) throws(TransferDaemonError) in
                _ = try await connection.call(Wire.CancelTask(id: Int64(id)))
            },
            relink: { (id, url) throws(TransferDaemonError) in
                _ = try await connection.call(Wire.RelinkTask(id: Int64(id), url: url))
            },
            prioritize: { (id, priority) throws(TransferDaemonError) in
                _ = try await connection.call(
                    Wire.SetTaskPriority(id: Int64(id), priority: priority)
                )
            },
            limit: { (id, rates) throws(TransferDaemonError) in
                guard let id else {
                    _ = try await connection.call(
                        Wire.SetRates(receiveRate: rates.receive, sendRate: rates.send)
                    )
                    return
                }
                _ = try await connection.call(
                    Wire.SetTaskRates(
                        id: Int64(id),
                        receiveRate: rates.receive,
                        sendRate: rates.send
                    )
                )
            },
            hooks: { () throws(TransferDaemonError) in
                try await connection.call(Wire.ListHooks()).hooks.map { TransferDaemon.Hook($0) }
            },
            removeHook: { (application) throws(TransferDaemonError) in
                _ = try await connection.call(Wire.RemoveHook(application: application))
            },
            quit: { (application) throws(TransferDaemonError) in
                try await connection.call(Wire.QuitApplication(application: application)).cancelled
            },
            status: { () throws(TransferDaemonError) in
                try await connection.callIfRunning(Wire.GetStatus())
                    .map { TransferDaemon.Status($0.status) }
            },
            stop: { () throws(TransferDaemonError) in
                try await connection.callIfRunning(Wire.Stop()) != nil
            }
        )
    }
}
