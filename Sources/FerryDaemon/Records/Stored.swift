import FerryStore
import FerryWire
import FoundationEssentials

/// The contents of the store's opaque columns: the interface's own types, as JSON.
enum Stored {
    /// Encodes a value; empty if that fails, which it does for none of our types.
    static func encode(_ value: some JSONCodable) -> [UInt8] {
        (try? MessageCoding.encode(value)) ?? []
    }

    /// A session's configuration; Apple's defaults where it cannot be read.
    static func configuration(_ bytes: [UInt8]) -> Wire.SessionConfiguration {
        decode(bytes)
            ?? Wire.SessionConfiguration(
                additionalFields: [],
                resourceTimeout: 604_800,
                maximumConnectionsPerHost: 6,
                sendsLaunchEvents: true
            )
    }

    /// A task's request.
    static func request(_ bytes: [UInt8]) -> Wire.Request? { decode(bytes) }

    /// A task's options; `nil` if its application has set none, or if they are invalid.
    static func options(_ bytes: [UInt8]?) -> Wire.TransferOptions? {
        let options: Wire.TransferOptions? = bytes.flatMap { decode($0) }
        return options?.contradiction == nil ? options : nil
    }

    /// The head of a response.
    static func response(_ bytes: [UInt8]) -> Wire.Response? { decode(bytes) }

    /// A failure.
    static func failure(_ bytes: [UInt8]) -> Wire.Failure? { decode(bytes) }

    /// A task that has ended, without what became of its file since then.
    static func endedTask(_ bytes: [UInt8]) -> Wire.EndedTask? { decode(bytes) }

    /// An event, without its number and its path.
    static func event(_ bytes: [UInt8]) -> Wire.Event? { decode(bytes) }

    /// An event, as it is sent.
    static func event(_ record: EventRecord) -> Wire.Event? {
        var event = event(record.event)
        event?.sequence = record.sequence
        event?.path = record.path
        return event
    }

    private static func decode<Value: JSONCodable>(_ bytes: [UInt8]) -> Value? {
        try? MessageCoding.decode(from: bytes)
    }
}

/// A type of the daemon's own that is stored as JSON.
protocol StoredRecord: Codable {}

extension StoredRecord {
    /// The value, encoded for the store; empty if that fails, which it does for none of our types.
    var encoded: [UInt8] { (try? encoder.encode(self)).map { Array($0) } ?? [] }

    /// Decodes a stored value; `nil` if there is none or it cannot be read.
    static func decode(_ bytes: [UInt8]?) -> Self? {
        bytes.flatMap { try? decoder.decode(Self.self, from: Data($0)) }
    }
}

private let encoder: JSONEncoder = {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
}()

private let decoder = JSONDecoder()
