import FerryHTTP
import FerryTransfer
import FerryWire
import Foundation
import FoundationNetworking

extension URLSessionTask {
    /// Delivers the metrics of a background session's task, before its completion.
    ///
    /// - Parameters:
    ///   - told: The metrics from the daemon.
    ///   - response: The response that the task ends with.
    ///   - hasFailed: Whether it ends with an error.
    func deliverMetrics(_ told: Wire.TaskMetrics, response: Wire.Response?, hasFailed: Bool) {
        deliverMetrics { [self] in
            makeMetrics(told, response: response, hasFailed: hasFailed)
        }
    }

    private func makeMetrics(
        _ told: Wire.TaskMetrics,
        response: Wire.Response?,
        hasFailed: Bool
    ) -> URLSessionTaskMetrics {
        let original = originalRequest
        let current = currentRequest ?? original
        let request = TransferRequest(
            url: current?.url?.absoluteString ?? "",
            method: current?.httpMethod ?? "GET",
            fields: (current?.headerFields ?? []).sorted { $0.name < $1.name }
        )
        let lastIndex = told.transactions.count - 1
        return URLSessionTaskMetrics(
            taskInterval: DateInterval(
                start: min(told.started, told.ended),
                end: told.ended
            ),
            redirectCount: told.redirectCount,
            transactions: told.transactions.enumerated().map { index, transaction in
                URLSessionTaskTransactionMetrics(
                    LoadTransaction(transaction, request: request, response: response),
                    originalRequest: original,
                    hasFailed: hasFailed && index == lastIndex
                )
            }
        )
    }
}
