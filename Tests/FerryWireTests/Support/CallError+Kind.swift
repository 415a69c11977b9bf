@testable import FerryWire

extension CallError {
    var isConnectionClosed: Bool { if case .connectionClosed = self { true } else { false } }
}
