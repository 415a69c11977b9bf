package import FerryWire
package import FoundationEssentials

extension Wire.Transaction {
    /// A request that has cost nothing yet.
    package init(started: Date, isLast: Bool = false) {
        self.init(
            isLast: isLast,
            started: started,
            isReusedConnection: false,
            sentHeaderByteCount: 0,
            sentBodyByteCount: 0,
            receivedHeaderByteCount: 0,
            receivedBodyByteCount: 0,
            decodedBodyByteCount: 0
        )
    }
}
