import FerrySystem
import Foundation

extension URLError.Code {
    /// The words for people about an error: its reason, or else what Apple's library says of its code.
    ///
    /// Most programs show nothing but an error's description, and Apple's words for a code hide the cause. A
    /// cancellation has no other cause than the app's own, and keeps Apple's word.
    func description(because reason: String?) -> String {
        guard self != .cancelled, let reason = reason.flatMap(Self.oneLine) else {
            return appleDescription
        }
        return Self.sentence(
            Self.isOfSystemCall(reason) ? "\(plainDescription): \(reason)" : reason
        )
    }

    /// What has failed, as the beginning of a sentence that goes on with a system call's error.
    private var plainDescription: String {
        switch self {
        case .cannotCreateFile: "The file cannot be created"
        case .cannotWriteToFile: "The file cannot be written"
        case .cannotOpenFile: "The file cannot be opened"
        case .fileDoesNotExist: "There is no such file"
        case .fileIsDirectory: "This is a directory and no file"
        case .noPermissionsToReadFile: "The file may not be read"
        case .requestBodyStreamExhausted: "The request's body cannot be read"
        default: Self.sentence(appleDescription).trimmingSuffix(".")
        }
    }

    /// Returns the words in one line, without passwords; nil for none.
    private static func oneLine(_ reason: String) -> String? {
        let line = reason.split { $0.isWhitespace || $0.isNewline }.joined(separator: " ")
        return line.isEmpty ? nil : line.withoutSecrets
    }

    /// Whether the words end with the symbol of an error, such as "(ENOENT)", as those of system calls do.
    private static func isOfSystemCall(_ reason: String) -> Bool {
        reason.wholeMatch(of: /.*: .* \((?:E[A-Z0-9]+|errno \d+)\)/) != nil
    }

    /// Returns the words with a capital letter and a full stop.
    private static func sentence(_ words: String) -> String {
        let word = words.prefix { $0 != " " }
        // Paths and addresses, and what is written like this everywhere.
        let isName = word.contains { "/:.".contains($0) } || ["ferryd", "ferryd,"].contains(word)
        let begun = isName ? words : words.prefix(1).uppercased() + words.dropFirst()
        let isClosed = [".", "!", "?", "…"].contains { begun.hasSuffix($0) }
        return isClosed ? begun : begun + "."
    }
}

extension String {
    /// The text with the secrets of its addresses masked; a file's name without one stays as it is.
    var withoutSecrets: String { contains("://") ? SecretText.masked(self) : self }

    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}
