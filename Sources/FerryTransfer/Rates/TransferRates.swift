package import FerrySystem

/// How fast a transfer's bytes may arrive and leave.
///
/// It outlives the requests that the transfer makes one after the other.
@LoopActor
package final class TransferRates {
    private static var lastTransfer: UInt64 = 0

    /// The transfer's share of the shared limits; 1 by default.
    private(set) var weight: Double = 1
    /// The limits of the transfer alone, made when there is one, or a flow that one may slow down later.
    private var ownReceiving: RateLimit?
    private var ownSending: RateLimit?
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
        Self.limit(&ownReceiving, to: receiving)
        Self.limit(&ownSending, to: sending)
    }

    private static func limit(_ own: inout RateLimit?, to bytesPerSecond: Int64?) {
        guard own != nil || bytesPerSecond != nil else { return }
        made(&own).bytesPerSecond = bytesPerSecond
    }

    private static func made(_ own: inout RateLimit?) -> RateLimit {
        let limit = own ?? RateLimit()
        own = limit
        return limit
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

    /// How many bytes may arrive per second; `nil` where there is no limit.
    var receiveRate: Int64? { Self.least(ownReceiving, sharedReceiving) }

    /// How many bytes may leave per second; `nil` where there is no limit.
    var sendRate: Int64? { Self.least(ownSending, sharedSending) }

    private static func least(_ own: RateLimit?, _ shared: [RateLimit]) -> Int64? {
        var least = own?.bytesPerSecond
        for limit in shared {
            if let rate = limit.bytesPerSecond { least = min(least ?? rate, rate) }
        }
        return least
    }

    /// Makes the flow of a connection's received bytes.
    func makeReceivingFlow() -> RateFlow {
        makeFlow(under: [Self.made(&ownReceiving)] + sharedReceiving)
    }

    /// Makes the flow of a connection's sent bytes.
    func makeSendingFlow() -> RateFlow {
        makeFlow(under: [Self.made(&ownSending)] + sharedSending)
    }

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
