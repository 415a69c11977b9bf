package import FerrySystem
import FoundationEssentials

extension PartialFile {
    /// What a partial file says about its own bytes.
    ///
    /// It is written before the first of them, so that a process that dies at any moment leaves
    /// a file that explains itself.
    package struct Record: Hashable, Sendable, Codable {
        /// Which filling of the file this is; a number drawn by lot.
        package var generation: UInt64
        /// Which version of which resource the bytes are.
        package var version: ResourceVersion
        /// The run of the kernel in which all bytes in the file are known to be good.
        package var bootIdentifier: BootIdentifier
        /// How often in a row a request for the rest was cut off before a byte of it came.
        package var fruitlessResumptionCount = 0
        /// Whether the file has a table of what is there.
        ///
        /// Without this one whose table somebody has cut off would pass for one that was filled in order.
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

        /// Which bytes of a file of `fileSize` bytes are what was written, given what the file says of its
        /// segments, and the latest checkpoint that was kept elsewhere.
        ///
        /// A checkpoint of another filling says nothing about these bytes.
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
