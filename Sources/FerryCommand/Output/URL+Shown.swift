import FerrySystem
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

extension String {
    /// The text of a URL without its password.
    var withoutPassword: String {
        guard utf8.contains(UInt8(ascii: "@")) else { return self }
        guard let url = URL(string: self), url.host() != nil else { return SecretText.masked(self) }
        return url.shown
    }
}
