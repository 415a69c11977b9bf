package import FerrySystem
import FoundationEssentials

extension PartialFile {
    /// The description that a partial file carries of its own bytes.
    ///
    /// It is written before the first of them, so that a process that dies at any moment leaves a
    /// self-describing file.
    package struct Record: Hashable, Sendable, Codable {
        /// The generation of the file's content; a random number.
        package var generation: UInt64
        /// The version of the resource that the bytes belong to.
        package var version: ResourceVersion
        /// The boot in which all bytes in the file are known to be good.
        package var bootIdentifier: BootIdentifier
        /// How often in a row a request for the rest was interrupted before a byte of it arrived.
        package var fruitlessResumptionCount = 0
        /// Whether the file has a table of its segments.
        ///
        /// Otherwise a file whose table was truncated would pass for one that was filled in order.
        package var hasTable: Bool?

        /// The extended attribute that holds the record.
        static let attributeName = "user.ferry.transfer"

        /// The record as it is stored.
        func encoded() throws(TransferError) -> [UInt8] {
            do {
                return Array(try Self.encoder.encode(self))
            } catch {
                throw TransferError(code: .internalFailure, message: "record: \(error)")
            }
        }

        /// Reads what ``encoded()`` wrote; `nil` for anything else.
        init?(decoding bytes: [UInt8]) {
            guard let record = try? Self.decoder.decode(Self.self, from: Data(bytes)) else {
                return nil
            }
            self = record
        }

        private static let encoder = JSONEncoder()
        private static let decoder = JSONDecoder()

        init(generation: UInt64, version: ResourceVersion, bootIdentifier: BootIdentifier) {
            self.generation = generation
            self.version = version
            self.bootIdentifier = bootIdentifier
        }

        /// Returns which bytes of a file of `fileSize` bytes are those that were written, given its table and
        /// the latest checkpoint that was kept elsewhere.
        ///
        /// A checkpoint of another generation says nothing about these bytes.
        func trustedBytes(
            currentBoot: BootIdentifier,
            fileSize: Int64,
            table: SegmentTable?,
            checkpoint: Checkpoint?
        ) -> ByteRanges {
            var proof = Checkpoint(
                generation: generation,
                version: version,
                synchronizedByteCount: 0,
                writtenByteCount: fileSize,
                bootIdentifier: bootIdentifier
            )
            if let checkpoint, checkpoint.generation == generation {
                proof.synchronizedByteCount = checkpoint.synchronizedByteCount
                proof.segments = checkpoint.segments
            }
            return proof.trustedBytes(
                currentBoot: currentBoot,
                fileSize: fileSize,
                written: table?.written ?? (hasTable == true ? proof.synchronizedBytes : nil)
            )
        }
    }
}
