import FerryHTTP
import FerrySystem
import Testing

@testable import FerryTransfer

@Suite(.timeLimit(.minutes(5))) struct ResumeDataTests {
    private static func sample(
        path: String = "/tmp/partial",
        written: Int64 = 80,
        synchronized: Int64 = 50,
        total: Int64? = 100,
        validator: Validator? = .strongETag("\"a\""),
        method: String = "GET"
    ) -> ResumeData {
        ResumeData(
            request: TransferRequest(
                url: "https://host/file",
                method: method,
                fields: [HTTPField(name: "Authorization", value: "x")]
            ),
            currentURL: "https://mirror/file",
            checkpoint: Checkpoint(
                generation: .max,
                version: ResourceVersion(
                    validator: validator,
                    totalByteCount: total,
                    url: "https://mirror/file"
                ),
                synchronizedByteCount: synchronized,
                writtenByteCount: written,
                bootIdentifier: BootIdentifier(rawValue: "boot")
            ),
            path: path
        )
    }

    private func reason(_ blob: [UInt8]) -> String? {
        do {
            _ = try ResumeData(decoding: blob)
            return nil
        } catch {
            #expect(error.code == .resumeDataInvalid)
            return error.message
        }
    }

    @Test func `RD-2: resume data comes back as it was`() throws {
        let original = Self.sample()
        let blob = try original.encoded()
        #expect(try ResumeData(decoding: blob) == original)
        #expect(original.byteCount == 80)
    }

    @Test func `RD-9: garbage is refused with a reason`() {
        #expect(reason([])?.contains("not Ferry's") == true)
        #expect(reason(Array("bplist00".utf8))?.contains("not Ferry's") == true)
        #expect(reason(Array("FerryRD".utf8))?.contains("cut off") == true)
        #expect(reason([UInt8](repeating: 0, count: 1000)) != nil)
    }

    @Test func `another version is named`() throws {
        var blob = try Self.sample().encoded()
        blob[7] = 3
        #expect(reason(blob)?.contains("version is 3") == true)
    }

    @Test func `every flipped bit is found`() throws {
        let blob = try Self.sample().encoded()
        for index in blob.indices {
            for bit in 0..<8 {
                var damaged = blob
                damaged[index] ^= 1 << bit
                #expect(throws: TransferError.self) { try ResumeData(decoding: damaged) }
            }
        }
    }

    @Test func `every cut and every addition is found`() throws {
        let blob = try Self.sample().encoded()
        for count in 0..<blob.count { #expect(reason(Array(blob.prefix(count))) != nil) }
        #expect(reason(blob + [0]) != nil)
    }

    @Test(arguments: [
        sample(path: "partial"), sample(path: ""),
        sample(written: 0, synchronized: 0), sample(written: -1),
        sample(synchronized: 81), sample(synchronized: -1), sample(total: 79),
        sample(validator: nil), sample(method: "POST"),
    ])
    func `resume data that contradicts itself is refused`(data: ResumeData) throws {
        #expect(reason(try data.encoded()) != nil)
    }

    @Test(arguments: [("", 0), ("123456789", 0xCBF4_3926), ("a", 0xE8B7_BE43)])
    func `the checksum is the common one`(text: String, expected: UInt32) {
        #expect(CRC32.checksum(of: Array(text.utf8)) == expected)
    }
}
