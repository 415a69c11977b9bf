extension TransferDaemon {
    /// The transfers that match a query, fetched page by page.
    public struct Transfers: AsyncSequence, Sendable {
        let daemon: TransferDaemon
        let query: Query

        /// An iterator that begins at the oldest transfer.
        ///
        /// - Returns: The iterator.
        public func makeAsyncIterator() -> Iterator {
            Iterator(daemon: daemon, query: query)
        }
    }
}

extension TransferDaemon.Transfers {
    /// Walks over the transfers that match a query.
    public struct Iterator: AsyncIteratorProtocol {
        private let daemon: TransferDaemon
        private let query: TransferDaemon.Query
        private var page = TransferDaemon.Page(transfers: [], next: nil)
        private var position = 0
        private var isAtFirstPage = true

        init(daemon: TransferDaemon, query: TransferDaemon.Query) {
            self.daemon = daemon
            self.query = query
        }

        /// The next transfer.
        ///
        /// - Returns: nil after the last one.
        /// - Throws: ``TransferDaemonError`` when the daemon cannot be reached or refuses.
        public mutating func next() async throws(TransferDaemonError) -> TransferDaemon.Transfer? {
            while position == page.transfers.count {
                guard isAtFirstPage || page.next != nil else { return nil }
                page = try await daemon.page(of: query, after: page.next)
                position = 0
                isAtFirstPage = false
            }
            defer { position += 1 }
            return page.transfers[position]
        }
    }
}
