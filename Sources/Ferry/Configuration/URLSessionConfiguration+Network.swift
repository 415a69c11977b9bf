public import FoundationNetworking

extension URLSessionConfiguration {
    /// What the session's traffic is for.
    ///
    /// Default: `.default`. On Linux without effect.
    public var networkServiceType: NSURLRequest.NetworkServiceType {
        get { self[\.networkServiceType] }
        set { self[\.networkServiceType] = newValue }
    }

    /// Whether tasks may use a mobile network.
    ///
    /// Default: true. On Linux without effect: tasks use whichever network there is.
    public var allowsCellularAccess: Bool {
        get { self[\.allowsCellularAccess] }
        set { self[\.allowsCellularAccess] = newValue }
    }

    /// Whether tasks may use a network that costs by the byte.
    ///
    /// Default: true. On Linux without effect: tasks use whichever network there is.
    public var allowsExpensiveNetworkAccess: Bool {
        get { self[\.allowsExpensiveNetworkAccess] }
        set { self[\.allowsExpensiveNetworkAccess] = newValue }
    }

    /// Whether tasks may use a network on which the user wants to save data.
    ///
    /// Default: true. On Linux without effect: tasks use whichever network there is.
    public var allowsConstrainedNetworkAccess: Bool {
        get { self[\.allowsConstrainedNetworkAccess] }
        set { self[\.allowsConstrainedNetworkAccess] = newValue }
    }

    /// Whether tasks may use an ultra-constrained network, such as a satellite network.
    ///
    /// Default: true. On Linux without effect: tasks use whichever network there is.
    public var allowsUltraConstrainedNetworkAccess: Bool {
        get { self[\.allowsUltraConstrainedNetworkAccess] }
        set { self[\.allowsUltraConstrainedNetworkAccess] = newValue }
    }

    /// How a connection may use several networks at once.
    ///
    /// Default: `.none`. On Linux without effect; on Apple's systems it is for iOS only.
    public var multipathServiceType: MultipathServiceType {
        get { self[\.multipathServiceType] }
        set { self[\.multipathServiceType] = newValue }
    }

    /// Whether host names must be proved by DNSSEC.
    ///
    /// Default: false. On Linux without effect: names are looked up as the system is set up to.
    ///
    /// - Important: Do not rely on it. Let the system's resolver validate instead.
    public var requiresDNSSECValidation: Bool {
        get { self[\.requiresDNSSECValidation] }
        set { self[\.requiresDNSSECValidation] = newValue }
    }

    /// The ways networks are combined for one connection.
    public enum MultipathServiceType: Int, Hashable, Sendable {
        /// One network.
        case none = 0
        /// Change over to the mobile network when the Wi-Fi network gets weak.
        case handover = 1
        /// The network with the least delay.
        case interactive = 2
        /// All networks together.
        case aggregate = 3
    }
}
