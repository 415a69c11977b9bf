import FerrySystem
public import Foundation

// The name is Apple's:
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the reason why a task could not use the network, in an error's user info.
///
/// In Swift, `URLError.networkUnavailableReason` is simpler.
public let NSURLErrorNetworkUnavailableReasonKey = "NSURLErrorNetworkUnavailableReasonKey"

extension URLError {
    /// The reason why a task could not use the network that is there; nil when that is not why it failed.
    ///
    /// Such an error has the code `notConnectedToInternet`. If there are several reasons, it is the first of
    /// ``NetworkUnavailableReason``.
    public var networkUnavailableReason: NetworkUnavailableReason? {
        (userInfo[NSURLErrorNetworkUnavailableReasonKey] as? Int)
            .flatMap { NetworkUnavailableReason(rawValue: $0) }
    }

    /// The reasons why a task cannot use a network that is there.
    public enum NetworkUnavailableReason: Int, Hashable, Sendable {
        /// The network is cellular: ``URLSessionConfiguration/allowsCellularAccess``.
        case cellular = 0
        /// The network is expensive: ``URLSessionConfiguration/allowsExpensiveNetworkAccess``.
        case expensive = 1
        /// The user wants few bytes on the network: ``URLSessionConfiguration/allowsConstrainedNetworkAccess``.
        case constrained = 2

        /// Creates the reason why a network cannot be used that a task avoids.
        init(_ met: Conditions) {
            if met.contains(.cellularNetwork) {
                self = .cellular
            } else if met.contains(.expensiveNetwork) {
                self = .expensive
            } else {
                self = .constrained
            }
        }

        /// The reason in words, and what to do.
        var explanation: String {
            let (kind, property) =
                switch self {
                case .cellular: ("cellular", "allowsCellularAccess")
                case .expensive: ("expensive", "allowsExpensiveNetworkAccess")
                case .constrained: ("constrained", "allowsConstrainedNetworkAccess")
                }
            return "The network is \(kind), and the task must not use one that is: \(property) is"
                + " false. Set waitsForConnectivity to have tasks wait for another network."
        }
    }

    /// Returns the error of a task that must not use the network that is there.
    static func networkForbidden(_ reason: NetworkUnavailableReason, url: URL?) -> URLError {
        URLError(.notConnectedToInternet, url: url, reason: reason.explanation).adding(reason)
    }

    /// Returns the error with the reason why the task could not use the network.
    func adding(_ reason: NetworkUnavailableReason?) -> URLError {
        guard let reason else { return self }
        return adding(reason.rawValue, forKey: NSURLErrorNetworkUnavailableReasonKey)
    }
}
