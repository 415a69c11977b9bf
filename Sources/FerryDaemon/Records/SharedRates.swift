import FerryStore
import FerryWire

extension SharedRates {
    /// Reads stored limits; invalid ones limit nothing.
    init(_ stored: Encoded<SharedRates>?) {
        self.init()
        if let rates = stored?.value, rates.contradiction == nil { self = rates }
    }

    /// The invalid member, and why; `nil` if both are valid.
    var contradiction: (member: String, reason: String)? {
        for (name, rate) in [("receiveRate", receive), ("sendRate", send)] {
            if let rate, rate < 1 { return (name, "it is 1 byte per second or more, not \(rate)") }
        }
        return nil
    }

    /// Returns the lower limit for each direction.
    func lowest(with other: SharedRates) -> SharedRates {
        SharedRates(
            receive: [receive, other.receive].compactMap { $0 }.min(),
            send: [send, other.send].compactMap { $0 }.min()
        )
    }

    /// The limits, for the log.
    var logText: String {
        func text(_ rate: Int64?) -> String {
            rate.map { "\($0) bytes/s" } ?? "as many bytes as can"
        }
        return "\(text(receive)) in, \(text(send)) out"
    }

    /// The error for a call with invalid limits.
    var refusal: TransferInterfaceError? {
        contradiction.map { .invalidRequest(parameter: $0.member, reason: $0.reason) }
    }
}

/// A message with limits on the bytes received and sent per second.
protocol RateMessage {
    var receiveRate: Int64? { get }
    var sendRate: Int64? { get }
}

extension RateMessage {
    /// The limits.
    var rates: SharedRates { SharedRates(receive: receiveRate, send: sendRate) }
}

extension Wire.SessionConfiguration: RateMessage {}
extension Wire.TransferOptions: RateMessage {}
extension Wire.SetRates: RateMessage {}
extension Wire.SetSessionRates: RateMessage {}
extension Wire.SetTaskRates: RateMessage {}
