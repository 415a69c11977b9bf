import Ferry
import FerryTestSupport
import Foundation
import Testing

/// An app's uploader, against httpbin and nginx.
@Suite("A ported uploader", .timeLimit(.minutes(1))) struct PhotoUploaderTests {
    /// What httpbin tells of a form or of another body.
    private struct Told: Decodable {
        let files: [String: String]
        let form: [String: String]
        let data: String
        let headers: [String: String]
    }

    private let httpbin: HTTPBin
    private let uploader = PhotoUploader()
    private let progress = Awaited<[Double]>([])

    init() async throws {
        _ = Home.path
        httpbin = try await HTTPBin.shared
        uploader.onProgress = { [progress] _, share in progress.change { $0.append(share) } }
    }

    private func photo(byteCount: Int) -> PhotoUploader.Photo {
        PhotoUploader.Photo(
            fileName: "harbour.jpg",
            data: Data(repeating: UInt8(ascii: "x"), count: byteCount),
            fields: ["title": "Valletta, früh", "tags": "sea"]
        )
    }

    private func url(_ path: String) throws -> URL {
        try #require(URL(string: httpbin.url(path)))
    }

    private func expectPhoto(_ data: Data, byteCount: Int) throws {
        let told = try JSONDecoder().decode(Told.self, from: data)
        #expect(told.files["photo"] == String(repeating: "x", count: byteCount))
        #expect(told.form == ["title": "Valletta, früh", "tags": "sea"])
        #expect(told.headers["Content-Type"]?.hasPrefix("multipart/form-data; ") == true)
        #expect(told.headers["Transfer-Encoding"] == nil)
    }

    @Test(arguments: [1, 2_000_000]) func `a form arrives, with progress`(
        byteCount: Int
    ) async throws {
        let url = try url("/post")
        let data = try await withCheckedThrowingContinuation { continuation in
            uploader.upload(photo(byteCount: byteCount), to: url) { continuation.resume(with: $0) }
        }
        try expectPhoto(data, byteCount: byteCount)
        #expect(progress.value == progress.value.sorted())
        #expect(progress.value.last == 1)
        uploader.finish()
    }

    @Test func `a form arrives by async`() async throws {
        let data = try await uploader.upload(photo(byteCount: 100_000), to: try url("/post"))
        try expectPhoto(data, byteCount: 100_000)
        uploader.finish()
    }

    @Test func `a form arrives with a completion handler`() async throws {
        let url = try url("/post")
        let data = try await withCheckedThrowingContinuation { continuation in
            uploader.uploadSimply(photo(byteCount: 1000), to: url) { data, response, error in
                #expect((response as? HTTPURLResponse)?.statusCode == 200)
                continuation.resume(
                    with: Result {
                        if let error { throw error }
                        return try #require(data)
                    }
                )
            }
        }
        try expectPhoto(data, byteCount: 1000)
    }

    @Test func `a file is put where it belongs`() async throws {
        let home = try TestHome()
        let nginx = try await Nginx(in: home)
        let content = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let file = URL(fileURLWithPath: "\(home.files)/photo.jpg")
        try content.write(to: file)
        let target = try #require(URL(string: nginx.url("upload/photo.jpg")))
        _ = try await withCheckedThrowingContinuation { continuation in
            uploader.uploadFile(file, to: target) { continuation.resume(with: $0) }
        }
        #expect(try nginx.uploadedFile("photo.jpg") == content)
        #expect(progress.value.last == 1)
        #expect(await nginx.requests(count: 1).map(\.method) == ["PUT"])
        uploader.finish()
    }

    @Test func `a file arrives by async`() async throws {
        let home = try TestHome()
        let file = URL(fileURLWithPath: "\(home.files)/note.txt")
        try Data("calm sea".utf8).write(to: file)
        let data = try await uploader.upload(file: file, to: try url("/post"))
        let told = try JSONDecoder().decode(Told.self, from: data)
        // API-10: a POST whose type the app does not say is a form.
        #expect(told.headers["Content-Type"] == "application/x-www-form-urlencoded")
        #expect(told.form == ["calm sea": ""])
        uploader.finish()
    }

    @Test func `a service that refuses is heard`() async throws {
        let url = try url("/status/413")
        await #expect(throws: PhotoUploader.Rejection(status: 413)) {
            try await withCheckedThrowingContinuation { continuation in
                uploader.upload(photo(byteCount: 10), to: url) { continuation.resume(with: $0) }
            }
        }
        await #expect(throws: PhotoUploader.Rejection(status: 413)) {
            try await uploader.upload(photo(byteCount: 10), to: url)
        }
        uploader.finish()
    }

    @Test func `an upload that is cancelled fails`() async throws {
        let url = try url("/delay/10")
        let error = await #expect(throws: URLError.self) {
            try await withCheckedThrowingContinuation { continuation in
                uploader.upload(photo(byteCount: 10), to: url) { continuation.resume(with: $0) }
                    .cancel()
            }
        }
        #expect(error?.code == .cancelled)
        uploader.finish()
    }
}
