import Foundation
import FoundationNetworking
import Glibc

/// A response of a server, with what Foundation's gets wrong.
final class ReceivedHTTPURLResponse: HTTPURLResponse, @unchecked Sendable {
    // @unchecked as its superclass: nothing in it changes once it was made.

    /// Whether the app gets the body in the coding that it has, if it has one; set by who makes the response.
    var keepsCoding = false

    /// The length of the body as the app gets it.
    override var expectedContentLength: Int64 {
        Self.bodyByteCount(keepsCoding: keepsCoding) { value(forHTTPHeaderField: $0) }
    }

    /// The name of a file for the body: as Content-Disposition proposes, else the last component of the URL's path, else the
    /// host.
    ///
    /// Foundation's is "Unknown" for each response without Content-Disposition. A name that is longer than file systems
    /// take is cut before its extension.
    override var suggestedFilename: String? {
        let proposal = ContentDisposition.fileName(proposedBy: self)
        return [proposal, url?.lastPathComponent, url?.host()].lazy.compactMap { $0 }
            .compactMap(Self.fileName(proposed:)).first ?? "Unknown"
    }

    /// The character encoding of a text, in lower case.
    ///
    /// Foundation's is nil if the parameter's name is not in lower case, though case does not matter there.
    override var textEncodingName: String? {
        super.textEncodingName
            ?? value(forHTTPHeaderField: "Content-Type")
            .flatMap { FieldParameters(of: $0)["charset"]?.lowercased() }
    }

    /// Returns the one component of a path that a proposal can be; nil if it can be none.
    private static func fileName(proposed proposal: String) -> String? {
        // By scalars: a slash with an accent is another character, but still a slash to the kernel.
        let name = String(
            String.UnicodeScalarView(
                proposal.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }
                    .map { $0 == "/" ? "_" : $0 }
            )
        )
        return ["", ".", "..", "_"].contains(name)
            ? nil : FileNameLength.bounded(name, to: Int(NAME_MAX))
    }
}
