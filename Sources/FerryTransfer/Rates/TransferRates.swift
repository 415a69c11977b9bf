package import FerrySystem

/// How fast a transfer's bytes may arrive and leave.
///
/// It outlives the requests that the transfer makes one after the other.
@LoopActor
package final class TransferRates {
    private static var lastTransfer: UInt64 = 0

    /// The transfer's share of the shared limits; 1 by default.
    private(set) var weight: Double = 1
    private let ownReceiving = RateLimit()
    private let ownSending = RateLimit()
    private let sharedReceiving: [RateLimit]
    private let sharedSending: [RateLimit]
    private let transfer: UInt64
    private var lastFlow: UInt64 = 0

    /// Makes rates.
    ///
    /// - Parameters:
    ///   - receiving: The shared limits for received bytes.
    ///   - sending: The shared limits for sent bytes.
    package init(receiving: [RateLimit] = [], sending: [RateLimit] = []) {
        sharedReceiving = receiving
        sharedSending = sending
        Self.lastTransfer += 1
        transfer = Self.lastTransfer
    }

    /// Changes the limits of the transfer alone.
    package func limit(receiving: Int64?, sending: Int64?) {
        ownReceiving.bytesPerSecond = receiving
        ownSending.bytesPerSecond = sending
    }

    /// Changes the transfer's share of the shared limits.
    ///
    /// - Parameter priority: The transfer's priority, from 0 to 1. One of 1 gets four times as much as the default
    ///   of 0.5, one of 0 a quarter of that.
    package func setPriority(_ priority: Double) {
        // 4 to the power of something from -1 to 1.
        weight = Self.powerOfTwo((min(max(priority, 0), 1) - 0.5) * 4)
    }

    // MARK: Flows

    private var receiving: [RateLimit] { [ownReceiving] + sharedReceiving }
    private var sending: [RateLimit] { [ownSending] + sharedSending }

    /// How many bytes may arrive per second; `nil` where there is no limit.
    var receiveRate: Int64? { receiving.compactMap(\.bytesPerSecond).min() }

    /// How many bytes may leave per second; `nil` where there is no limit.
    var sendRate: Int64? { sending.compactMap(\.bytesPerSecond).min() }

    /// Makes the flow of a connection's received bytes.
    func makeReceivingFlow() -> RateFlow { makeFlow(under: receiving) }

    /// Makes the flow of a connection's sent bytes.
    func makeSendingFlow() -> RateFlow { makeFlow(under: sending) }

    private func makeFlow(under limits: [RateLimit]) -> RateFlow {
        lastFlow += 1
        return RateFlow(
            of: self,
            under: limits,
            identifier: RateFlow.Identifier(transfer: transfer, number: lastFlow)
        )
    }

    private static func powerOfTwo(_ exponent: Double) -> Double {
        var result = 1.0
        var rest = exponent
        while rest >= 1 {
            result *= 2
            rest -= 1
        }
        while rest <= -1 {
            result /= 2
            rest += 1
        }
        // Between whole powers a straight line is near enough.
        return rest >= 0 ? result * (1 + rest) : result / (1 - rest)
    }
}
