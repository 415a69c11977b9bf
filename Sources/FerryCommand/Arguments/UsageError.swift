/// Arguments that make no sense, and where to read which do.
struct UsageError: Error, Hashable {
    /// What is wrong, as a sentence.
    let message: String
    /// The words that call the command they were given to, `ferry` left out.
    var command: [String] = []

    /// The lines to show.
    var text: String {
        """
        ferry: \(message)
        See '\((["ferry"] + command + ["--help"]).joined(separator: " "))'.
        """
    }
}
