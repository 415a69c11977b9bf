import FoundationEssentials

extension KeyedDecodingContainer {
    /// Decodes a message's parameters; a message that has none may leave them out.
    func decodeParameters<Parameters: Decodable>(
        _ type: Parameters.Type = Parameters.self,
        forKey key: Key
    ) throws -> Parameters {
        if contains(key), try !decodeNil(forKey: key) { return try decode(type, forKey: key) }
        return try JSONDecoder().decode(type, from: Data("{}".utf8))
    }
}
