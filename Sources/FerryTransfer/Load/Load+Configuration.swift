package import FerryHTTP

extension Load {
    /// How a load is carried out.
    package struct Configuration: Sendable {
        /// Where redirects may lead.
        package var redirectPolicy: RedirectPolicy
        /// The protocol to ask for.
        package var protocolChoice: HTTPRequest.ProtocolChoice
        /// Whether the decider is asked about servers' certificates, and for the client's; `false` by default.
        package var asksForTrust: Bool
        /// The content codings to ask for and to decode, unless the request sets its own; `nil`, the default,
        /// for none.
        package var acceptedCodings: String?
        /// How fast bodies may arrive and leave; `nil`, the default, for as fast as they can.
        package var rates: TransferRates?
        /// How long a connection may take; `nil`, the default, for the client's value.
        package var connectTimeout: Duration?
        /// The number of bytes of a body per second that must arrive at least; 0, the default, for no minimum.
        package var minimumReceiveRate: Int64
        /// The cookies that an app which may not be running has given; none by default.
        package var cookies: [Cookie] = []
        /// Whether any certificate of a server is accepted; `false` by default.
        package var acceptsInvalidCertificates: Bool

        /// Makes a configuration.
        package init(
            redirectPolicy: RedirectPolicy = RedirectPolicy(),
            protocolChoice: HTTPRequest.ProtocolChoice = .http1,
            asksForTrust: Bool = false,
            acceptedCodings: String? = nil,
            rates: TransferRates? = nil,
            connectTimeout: Duration? = nil,
            minimumReceiveRate: Int64 = 0,
            acceptsInvalidCertificates: Bool = false
        ) {
            self.redirectPolicy = redirectPolicy
            self.protocolChoice = protocolChoice
            self.asksForTrust = asksForTrust
            self.acceptedCodings = acceptedCodings
            self.rates = rates
            self.connectTimeout = connectTimeout
            self.minimumReceiveRate = minimumReceiveRate
            self.acceptsInvalidCertificates = acceptsInvalidCertificates
        }
    }

    /// Where a request's body comes from.
    package enum Body {
        /// From the request, or there is none.
        case none
        /// From this source, or from the decider if the source cannot return to its start.
        case source(any HTTPBodySource)
        /// From the decider, each time that it is sent.
        case onDemand

        var isNone: Bool {
            if case .none = self { true } else { false }
        }

        var isOnDemand: Bool {
            if case .onDemand = self { true } else { false }
        }
    }
}
