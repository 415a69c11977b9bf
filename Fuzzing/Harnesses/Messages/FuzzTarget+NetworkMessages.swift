@testable import FerrySystem

extension FuzzTarget {
    /// What the kernel tells about the network is read within its bounds.
    static let networkMessages = FuzzTarget("network-messages") { input throws(Finding) in
        let bytes = input.rest
        guard let messages = try? NetworkMessage.decode(bytes) else { return }
        // A message's head alone has 16 bytes.
        try expect(messages.count <= bytes.count / 16, "\(messages.count) in \(bytes.count) bytes")
    }
}
