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

extension TransferDaemon {
    /// A filter for transfers.
    public struct Query: Hashable, Sendable {
        /// Only those of the application with this identifier; nil for all.
        public var application: String?
        /// Only those of background sessions with this identifier; nil for all.
        public var session: String?
        /// Only those in one of these states; nil for all.
        public var states: Set<Transfer.State>?

        /// A query; without arguments, for all transfers.
        ///
        /// - Parameters:
        ///   - application: Only transfers of this application.
        ///   - session: Only transfers of background sessions with this identifier.
        ///   - states: Only transfers in one of these states.
        public init(
            application: String? = nil,
            session: String? = nil,
            states: Set<Transfer.State>? = nil
        ) {
            self.application = application
            self.session = session
            self.states = states
        }
    }

    /// Some of the transfers that a query matches.
    public struct Page: Hashable, Sendable {
        /// The transfers, oldest first.
        public var transfers: [Transfer]
        /// What to pass as `after` for the next page; nil if this is the last one.
        public var next: Transfer.ID?

        /// A page of transfers.
        package init(transfers: [Transfer], next: Transfer.ID?) {
            self.transfers = transfers
            self.next = next
        }
    }

    /// A page that is decoded when its transfers are asked for, so that the next one can be requested before that.
    package struct EncodedPage<Element: Sendable>: Sendable {
        /// What to pass as `after` for the next page; nil if this is the last one.
        package let next: Transfer.ID?
        private let decode: @Sendable () throws(TransferDaemonError) -> [Element]

        /// A page whose transfers `decode` returns.
        package init(
            next: Transfer.ID?,
            _ decode: @escaping @Sendable () throws(TransferDaemonError) -> [Element]
        ) {
            self.next = next
            self.decode = decode
        }

        /// Returns the transfers, oldest first.
        ///
        /// - Throws: ``TransferDaemonError/Code/unexpectedReply`` when they cannot be decoded.
        package func transfers() throws(TransferDaemonError) -> [Element] { try decode() }
    }

    /// The changes since the previous element.
    public struct Changes: Hashable, Sendable {
        /// The transfers that are new or have changed, as they are now.
        public var updated: [Transfer]
        /// The transfers that have ended and whose end the application has acknowledged.
        public var removed: [Transfer.ID]

        /// Changes of transfers.
        package init(updated: [Transfer], removed: [Transfer.ID]) {
            self.updated = updated
            self.removed = removed
        }
    }
}
