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
    /// Default: true. `URLRequest`'s property of this name forbids it for one task.
    ///
    /// With false, a task of a default or ephemeral session loads only while the machine's primary connection is not
    /// cellular, as NetworkManager tells. On another network it waits if ``waitsForConnectivity`` is set; the delegate
    /// is told once. Otherwise it fails with `URLError.Code.notConnectedToInternet`, and
    /// `URLError.networkUnavailableReason` says why. Where NetworkManager is not there, or does not answer within one
    /// second, the network counts as permitted. Servers on this machine, `data:` and `file:` URLs, classes of
    /// ``protocolClasses`` and responses from the cache need no network.
    ///
    /// If the network becomes cellular while a task loads, what can be continued or repeated waits as well: a download
    /// keeps its bytes, and a data or upload task makes its request again if there was no response and its method is
    /// idempotent, or its upload can be resumed. Any other task fails in the same way; a download's error has
    /// resume data. On Apple's systems it depends on the interface of the connection.
    ///
    /// A background session's tasks wait, with the bytes that they have, while the primary connection is cellular.
    public var allowsCellularAccess: Bool {
        get { self[\.allowsCellularAccess] }
        set { self[\.allowsCellularAccess] = newValue }
    }

    /// Whether tasks may use a network that costs by the byte.
    ///
    /// Default: true. With false, tasks of default and ephemeral sessions treat a network that NetworkManager calls
    /// metered, or guesses to be, as ``allowsCellularAccess`` describes. Foundation's `URLRequest` has no such
    /// property on Linux.
    ///
    /// A background session's tasks wait, with the bytes that they have, while the network is metered.
    public var allowsExpensiveNetworkAccess: Bool {
        get { self[\.allowsExpensiveNetworkAccess] }
        set { self[\.allowsExpensiveNetworkAccess] = newValue }
    }

    /// Whether tasks may use a network on which the user wants to save data.
    ///
    /// Default: true. With false, tasks of default and ephemeral sessions treat a network that the user has set to
    /// metered, and any network while power is to be saved, as ``allowsCellularAccess`` describes. Foundation's
    /// `URLRequest` has no such property on Linux.
    ///
    /// A background session's tasks wait, with the bytes that they have, while the network is so.
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
