package import FerrySystem

/// How fast a transfer's bytes may arrive and leave.
///
/// It outlives the requests that the transfer makes one after the other.
@LoopActor
package final class TransferRates {
    /// The bytes of answers' bodies.
    package let receiving: RateFlow
    /// The bytes of requests' bodies.
    package let sending: RateFlow

    /// Makes rates.
    ///
    /// - Parameters:
    ///   - receiving: The limits for what arrives that the transfer shares with others.
    ///   - sending: The limits for what leaves that it shares with others.
    package init(receiving: [RateLimit] = [], sending: [RateLimit] = []) {
        self.receiving = RateFlow(sharing: receiving)
        self.sending = RateFlow(sharing: sending)
    }

    /// Changes the limits of the transfer alone.
    package func limit(receiving: Int64?, sending: Int64?) {
        self.receiving.own.bytesPerSecond = receiving
        self.sending.own.bytesPerSecond = sending
    }

    /// Nothing passes for now.
    func stop() {
        receiving.stop()
        sending.stop()
    }

    /// Changes the transfer's share of the limits that it has together with others.
    ///
    /// - Parameter priority: The transfer's priority, from 0 to 1. One of 1 gets four times as much as the default
    ///   of 0.5, one of 0 a quarter of that.
    package func setPriority(_ priority: Double) {
        let exponent = (min(max(priority, 0), 1) - 0.5) * 4
        // 4 to the power of something from -1 to 1.
        let weight = Self.powerOfTwo(exponent)
        receiving.weight = weight
        sending.weight = weight
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
