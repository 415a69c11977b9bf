import FerryHTTP
import FerrySystem
import FerryTransfer
import Foundation
import Synchronization

/// The transactions by which a WebSocket task has opened its connection, or has tried to.
@LoopActor
struct OpeningTransactions {
    private var transactions: [LoadTransaction] = []
    private var latestStart = EventLoop.now
    private let conditions: Conditions

    /// - Parameter conditions: The conditions of the network in which the connection is opened.
    init(conditions: Conditions) { self.conditions = conditions }

    /// Records that a request is sent.
    ///
    /// - Parameters:
    ///   - request: The request, without what was added to it.
    ///   - fields: The fields that are sent.
    mutating func begin(_ request: TransferRequest, _ fields: [HTTPField]) {
        latestStart = EventLoop.now
        transactions.append(
            LoadTransaction(
                request: request,
                sentFields: fields,
                metrics: HTTPMetrics(startTime: Date().timeIntervalSince1970),
                conditions: conditions
            )
        )
    }

    /// Records that the latest request was answered, by the opening of a connection or by another response.
    mutating func answered(_ head: HTTPResponseHead) {
        guard !transactions.isEmpty else { return }
        let time = EventLoop.now - latestStart
        transactions[transactions.count - 1].response = head
        transactions[transactions.count - 1].metrics?.version = head.version
        transactions[transactions.count - 1].metrics?.responseStart = time
        transactions[transactions.count - 1].metrics?.responseEnd = time
    }

    /// Returns a closure that makes the metrics of a task that ends now.
    func metrics(
        of task: URLSessionTask,
        hasFailed: Bool
    ) -> @Sendable () -> URLSessionTaskMetrics {
        let (created, original) = task.storage.withLock { ($0.created, $0.originalRequest) }
        var transactions = transactions
        let isOpen = transactions.last?.response?.status == 101
        if isOpen {
            transactions[transactions.count - 1].metrics?.responseEnd = EventLoop.now - latestStart
        }
        let interval = DateInterval(start: min(created, Date()), end: Date())
        return { [transactions] in
            URLSessionTaskMetrics(
                taskInterval: interval,
                redirectCount: transactions.dropLast().count { transaction in
                    (300..<400).contains(transaction.response?.status ?? 0)
                },
                transactions: transactions.enumerated().map { index, transaction in
                    URLSessionTaskTransactionMetrics(
                        transaction,
                        originalRequest: original,
                        hasFailed: hasFailed && index == transactions.count - 1
                    )
                }
            )
        }
    }
}
