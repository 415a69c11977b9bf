/// A reply that is an error, as it goes over the wire.
struct ErrorMessage: Codable, Hashable, Sendable {
    /// The error's name, after its interface's.
    var error: String
    /// What the error tells.
    var parameters: ErrorParameters

    private enum CodingKeys: CodingKey {
        case error
        case parameters
    }

    /// Creates a message.
    init(error: String, parameters: ErrorParameters = ErrorParameters()) {
        self.error = error
        self.parameters = parameters
    }

    /// Reads a message; parameters that are missing or strange do not hide the error's name.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        error = try container.decode(String.self, forKey: .error)
        parameters =
            (try? container.decode(ErrorParameters.self, forKey: .parameters)) ?? ErrorParameters()
    }
}
