import DesktopCore
package import Foundation

/// A picture that can be downloaded.
package struct Picture: Hashable, Sendable {
    package var title: String
    package var url: URL

    /// Under which name it is filed.
    var fileName: String { FileName.of(url) }
}

extension Picture {
    /// The environment variable that tells where other pictures are, with spaces in between.
    package static let addressesVariable = "CANCEL_AND_RESUME_PICTURES"

    /// The pictures that the app offers, by the environment variables of its process.
    static func all(environment: [String: String]) -> [Picture] {
        guard let addresses = environment[addressesVariable] else { return planets }
        return addresses.split(separator: " ").compactMap { URL(string: String($0)) }.map { url in
            Picture(title: FileName.of(url.deletingPathExtension()).capitalized, url: url)
        }
    }

    private static var planets: [Picture] {
        [
            (localized("Earth"), "9/97/The_Earth_seen_from_Apollo_17.jpg"),
            (localized("Moon"), "e/e1/FullMoon2010.jpg"),
            (localized("Mars"), "0/02/OSIRIS_Mars_true_color.jpg"),
        ].compactMap { title, path in
            URL(string: "https://upload.wikimedia.org/wikipedia/commons/\(path)")
                .map { Picture(title: title, url: $0) }
        }
    }
}
