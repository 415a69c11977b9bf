import Foundation

extension URLSessionTask {
    /// Something that a task has to tell, on its session's delegate queue.
    struct Delivery: Sendable {
        enum Message: Sendable {
            /// The download goes on after bytes that are there already.
            case resumed(offset: Int64, expectedByteCount: Int64)
            /// Bytes arrived.
            case progressed(byteCount: Int64, expectedByteCount: Int64)
            /// The file is there.
            case finished(location: URL)
            /// Bytes of the request's body have left.
            case sent(byteCount: Int64, expectedByteCount: Int64)
            /// The request's body is sent from there on, of which more may have left before.
            case sentAnew(from: Int64)
            /// A part of the response's body.
            case data(Data)
            /// Something that is told by a call of the delegate, or asked.
            case call(@Sendable (URLSession) -> Void)
            /// Something of a WebSocket task's.
            case socket(URLSessionWebSocketTask.News)
            /// The task has ended.
            case completed(error: (any Error)?)
        }

        var message: Message
        /// Called when the app has been told, before the next message of the task.
        var wasTold: (@Sendable () -> Void)?
    }

    /// Orders what a task has to tell.
    ///
    /// At most one operation per task is on the delegate queue, so that a task's messages keep their order
    /// even on a queue that runs several operations at once, and progress cannot pile up in front of a slow
    /// delegate: what has not been told yet is replaced by newer figures.
    struct Deliveries: Sendable {
        private var pending: [Delivery] = []
        private var isScheduled = false
        private var toldByteCount: Int64
        private var toldSentByteCount: Int64

        /// Messages of a task.
        ///
        /// - Parameters:
        ///   - toldByteCount: How many bytes an earlier launch of the app has heard of.
        ///   - toldSentByteCount: How many bytes that were sent it has heard of.
        init(toldByteCount: Int64 = 0, toldSentByteCount: Int64 = 0) {
            self.toldByteCount = toldByteCount
            self.toldSentByteCount = toldSentByteCount
        }

        /// Messages of a task that must not be told before another task's have been.
        static let held: Deliveries = {
            var deliveries = Deliveries()
            // As if one of them were being told.
            deliveries.isScheduled = true
            return deliveries
        }()

        /// Adds a message.
        ///
        /// - Returns: Whether an operation must be put on the delegate queue.
        mutating func append(_ delivery: Delivery) -> Bool {
            switch (pending.last?.message, delivery.message) {
            case (.progressed, .progressed), (.sent, .sent):
                pending[pending.count - 1] = delivery
            case (.data(var data), .data(let more)):
                // Taken out first, so that the bytes need not be copied.
                pending.removeLast()
                data.append(more)
                pending.append(Delivery(message: .data(data), wasTold: delivery.wasTold))
            default:
                pending.append(delivery)
            }
            return schedule()
        }

        /// The next message, with the number of bytes since the last progress that was told.
        mutating func next() -> (delivery: Delivery, newByteCount: Int64)? {
            guard !pending.isEmpty else { return nil }
            let delivery = pending.removeFirst()
            switch delivery.message {
            case .resumed(let offset, _):
                toldByteCount = offset
                return (delivery, 0)
            case .progressed(let byteCount, _):
                defer { toldByteCount = byteCount }
                return (delivery, byteCount - toldByteCount)
            case .sent(let byteCount, _):
                defer { toldSentByteCount = byteCount }
                return (delivery, byteCount - toldSentByteCount)
            case .sentAnew(let offset):
                toldSentByteCount = offset
                return (delivery, 0)
            case .finished, .data, .call, .socket, .completed:
                return (delivery, 0)
            }
        }

        /// The message that ``next()`` returned has been told.
        ///
        /// - Returns: Whether another operation must be put on the delegate queue.
        mutating func wasTold() -> Bool {
            isScheduled = false
            return schedule()
        }

        private mutating func schedule() -> Bool {
            guard !isScheduled, !pending.isEmpty else { return false }
            isScheduled = true
            return true
        }
    }
}
