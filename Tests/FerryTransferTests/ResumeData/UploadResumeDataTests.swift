import FerryHTTP
import FerrySystem
import Testing

@testable import FerryTransfer

@Suite(.timeLimit(.minutes(5)))
struct UploadResumeDataTests {
    private let identity = FileIdentity(device: 1, inode: 2, size: 500, modified: 3, changed: 4)

    private func sample(
        content: UploadResumeData.Content? = nil,
        offset: Int64 = 100,
        url: String = "https://a/resources/1",
        method: String = "PUT"
    ) -> UploadResumeData {
        UploadResumeData(
            request: TransferRequest(url: "https://a/in", method: method),
            resource: UploadResource(
                url: url,
                language: .tus,
                acknowledgedByteCount: offset,
                limits: UploadLimits("max-append-size=7"),
                tus: TusCapabilities(createsWithUpload: true, checksum: .sha1)
            ),
            content: content ?? .file(path: "/f", identity: identity, boot: .current)
        )
    }

    private func reason(_ blob: [UInt8]) -> String? {
        do {
            _ = try UploadResumeData(decoding: blob)
            return nil
        } catch {
            #expect(error.code == .resumeDataInvalid)
            return error.message
        }
    }

    @Test func `resume data comes back as it was`() throws {
        let original = sample()
        let blob = try original.encoded()
        #expect(try UploadResumeData(decoding: blob) == original)
        #expect(UploadResumeData.isAround(blob))
    }

    @Test func `UP-12: that of a download is none of an upload, nor the other way round`() throws {
        let blob = try sample().encoded()
        #expect(throws: TransferError.self) { try ResumeData(decoding: blob) }
        #expect(reason(Array("FerryRD".utf8) + blob.dropFirst(7)) != nil)
        #expect(UploadResumeData.isAround(Array("FerryRD".utf8)) == false)
    }

    @Test func `UP-12: one damaged byte is found, wherever it is`() throws {
        let blob = try sample().encoded()
        for index in blob.indices {
            var damaged = blob
            damaged[index] ^= 0x10
            #expect(reason(damaged) != nil)
        }
        #expect(reason(Array(blob.dropLast())) != nil)
        #expect(reason([]) != nil)
    }

    @Test func `UP-12: what contradicts itself is refused`() throws {
        let contradictions = [
            sample(offset: -1), sample(offset: 501), sample(url: "file:///etc/passwd"),
            sample(method: "GET"), sample(content: .bytes),
            sample(content: .file(path: "relative", identity: identity, boot: .current)),
        ]
        for contradiction in contradictions {
            #expect(reason(try contradiction.encoded()) != nil)
        }
        #expect(reason(try sample(content: .stream).encoded()) == nil)
    }

    @Test(arguments: [0, -1, .min] as [Int64])
    func `UP-12: parts that would never come to an end are refused`(limit: Int64) throws {
        var endless = sample()
        endless.resource.limits.greatestAppend = limit
        #expect(reason(try endless.encoded()) != nil)
    }
}
