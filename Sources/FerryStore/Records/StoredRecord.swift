package import FerryWire
import FoundationEssentials

/// A value of ferryd's own, which no client sees; its text in the store is what `Codable` makes of it.
package protocol StoredRecord: Codable, JSONCodable {}

extension StoredRecord {
    /// Writes the value.
    package func write(to output: inout JSONOutput) {
        output.text((try? encoder.encode(self)).map { Array($0) } ?? [])
    }

    /// Reads a value.
    package init(from input: inout JSONInput) throws(JSONInput.Problem) {
        do {
            self = try decoder.decode(Self.self, from: Data(try input.text()))
        } catch let problem as JSONInput.Problem {
            throw problem
        } catch {
            throw JSONInput.Problem("it is not a \(Self.self)")
        }
    }
}

private let encoder: JSONEncoder = {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
}()

private let decoder = JSONDecoder()
