// The names are Apple's; Foundation on Linux only declares them as unavailable:
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// The method of a challenge that asks whether a server is trusted; see ``SecTrust``.
public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"

/// The method of a challenge that asks for a client certificate.
public let NSURLAuthenticationMethodClientCertificate = "NSURLAuthenticationMethodClientCertificate"
