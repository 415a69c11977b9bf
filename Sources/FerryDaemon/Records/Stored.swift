import FerryStore
import FerryWire
import FoundationEssentials

/// What the daemon keeps in the store's opaque columns: the interface's own types, as JSON.
enum Stored {
    /// Encodes a value; one that cannot be encoded, which none of ours is, becomes empty.
    static func encode<Value: Encodable>(_ value: Value) -> [UInt8] { json(value) }

    /// Encodes a request, of which there is one for each task.
    static func encode(_ request: Wire.Request) -> [UInt8] { request.text ?? json(request) }

    /// Encodes the head of an answer, of which there is one for each task, too.
    static func encode(_ response: Wire.Response) -> [UInt8] { response.text ?? json(response) }

    /// A value of the daemon's own; `nil` where it cannot be read.
    static func decode<Value: Decodable>(_ bytes: [UInt8]) -> Value? {
        try? decoder.decode(Value.self, from: Data(bytes))
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
    static func request(_ bytes: [UInt8]) -> Wire.Request? {
        Wire.Request(text: bytes) ?? decode(bytes)
    }

    /// How a task is carried out; nothing where its application has not said so, or where it makes no sense.
    static func options(_ bytes: [UInt8]?) -> Wire.TransferOptions? {
        let options: Wire.TransferOptions? = bytes.flatMap { decode($0) }
        return options?.contradiction == nil ? options : nil
    }

    /// The head of an answer.
    static func response(_ bytes: [UInt8]) -> Wire.Response? {
        Wire.Response(text: bytes) ?? decode(bytes)
    }

    /// What went wrong.
    static func failure(_ bytes: [UInt8]) -> Wire.Failure? { decode(bytes) }

    /// An event, without its sequence number.
    static func event(_ bytes: [UInt8]) -> Wire.Event? {
        Wire.Event(text: bytes) ?? (try? eventDecoder.decode(Wire.Event.self, from: Data(bytes)))
    }

    /// An event for the log.
    static func event(_ event: Wire.Event) -> NewEvent {
        NewEvent(kind: event.kind == .finished ? 0 : 1, payload: event.text ?? eventJSON(event))
    }

    /// Dates are as in the interface, by which events are written without an encoder as a rule.
    private static let eventDecoder: JSONDecoder = {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        return decoder
    }()

    private static func eventJSON(_ event: Wire.Event) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        return (try? encoder.encode(event)).map { Array($0) } ?? []
    }

    private static func json<Value: Encodable>(_ value: Value) -> [UInt8] {
        (try? encoder.encode(value)).map { Array($0) } ?? []
    }

    private static let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }()

    private static let decoder = JSONDecoder()
}
