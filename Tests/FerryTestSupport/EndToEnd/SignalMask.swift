/// A line of `/proc/PID/status` about signals, such as `SigIgn:	0000000000001000`.
package struct SignalMask {
    /// The signals in it, but for those that only the C library uses.
    package let signals: [Int]

    /// Reads a line.
    ///
    /// - Parameter line: The line, with the set in hexadecimal digits at its end.
    package init?(_ line: some StringProtocol) {
        guard let digits = line.split(separator: "\t").last, let bits = UInt64(digits, radix: 16)
        else { return nil }
        // Signals 32 and 33 cancel threads; sigaction(2) of the C library does not let anybody
        // change them, and `swift test` starts its processes with one of them ignored.
        signals = (1...64).filter { ![32, 33].contains($0) && bits >> ($0 - 1) & 1 == 1 }
    }
}
