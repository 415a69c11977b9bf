// The names are Apple's, for which Foundation on Linux has nothing but a note that they are not available:
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// The method of a challenge that asks whether a server is trusted; see ``SecTrust``.
public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"

/// The method of a challenge that asks for a certificate of the app's.
public let NSURLAuthenticationMethodClientCertificate = "NSURLAuthenticationMethodClientCertificate"
