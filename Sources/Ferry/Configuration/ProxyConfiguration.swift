/// A proxy, as Apple's Network framework describes it.
///
/// There is no Network framework on Linux and so there are no values of this type; it is here so that
/// ``URLSessionConfiguration/proxyConfigurations`` can be read, and set to an empty array.
public enum ProxyConfiguration: Hashable, Sendable {}
