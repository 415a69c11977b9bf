import FerryWire

/// How many bytes per second may arrive and leave, for all who share it; `nil` for as many as can.
struct SharedRates: StoredRecord, Hashable, Sendable {
    /// How many may arrive.
    var receive: Int64?
    /// How many may leave.
    var send: Int64?

    /// From the store; what makes no sense limits nothing.
    static func limits(_ bytes: [UInt8]?) -> SharedRates {
        guard let rates = decode(bytes), rates.contradiction == nil else { return SharedRates() }
        return rates
    }

    /// The member that makes no sense, and why; nothing where both do.
    var contradiction: (member: String, reason: String)? {
        for (name, rate) in [("receiveRate", receive), ("sendRate", send)] {
            if let rate, rate < 1 { return (name, "it is 1 byte per second or more, not \(rate)") }
        }
        return nil
    }

    /// Why a call may not set them.
    var refusal: TransferInterfaceError? {
        contradiction.map { .invalidRequest(parameter: $0.member, reason: $0.reason) }
    }
}

/// A message that tells how many bytes per second may arrive and leave.
protocol RateMessage {
    var receiveRate: Int64? { get }
    var sendRate: Int64? { get }
}

extension RateMessage {
    /// What it tells.
    var rates: SharedRates { SharedRates(receive: receiveRate, send: sendRate) }
}

extension Wire.SessionConfiguration: RateMessage {}
extension Wire.TransferOptions: RateMessage {}
extension Wire.SetRates: RateMessage {}
extension Wire.SetSessionRates: RateMessage {}
extension Wire.SetTaskRates: RateMessage {}
