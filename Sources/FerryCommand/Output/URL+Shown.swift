import Foundation

extension URL {
    /// The URL without its password, which must not appear on a screen.
    var shown: String {
        guard password(percentEncoded: true) != nil,
            var components = URLComponents(url: self, resolvingAgainstBaseURL: false)
        else { return absoluteString }
        components.password = nil
        return components.string ?? absoluteString
    }
}
