import Foundation

#if FERRY
import Ferry
#else
import FoundationNetworking
#endif

// requests get LIST [WIDTH [ROUNDS]]: gets the URLs of a list, one a line, as data, WIDTH of them at a time, 64 by
// default, and all of them ROUNDS times, once by default.
// requests put FILE URL: uploads a file.

let words = CommandLine.arguments
guard words.count >= 3 else {
    print("Usage: requests get LIST [WIDTH [ROUNDS]] | put FILE URL")
    exit(2)
}

let settings = URLSessionConfiguration.ephemeral
settings.urlCache = nil
settings.httpMaximumConnectionsPerHost = 64
let session = URLSession(configuration: settings)

/// Gets everything, as many at a time, and returns how many bytes that were.
func get(_ urls: [URL], width: Int) async throws -> Int {
    try await withThrowingTaskGroup(of: Int.self) { group in
        var rest = urls.makeIterator()
        func addNext() {
            guard let url = rest.next() else { return }
            group.addTask { try await session.data(from: url).0.count }
        }
        for _ in 0..<width { addNext() }
        var total = 0
        for try await count in group {
            total += count
            addNext()
        }
        return total
    }
}

func put(_ file: String, _ target: String) async throws -> Int {
    guard let url = URL(string: target) else { throw URLError(.badURL) }
    var request = URLRequest(url: url)
    request.httpMethod = "PUT"
    let (_, response) = try await session.upload(for: request, fromFile: URL(fileURLWithPath: file))
    return (response as? HTTPURLResponse)?.statusCode ?? 0
}

do {
    if words[1] == "put" {
        print(try await put(words[2], words[3]))
    } else {
        let list = try String(contentsOfFile: words[2], encoding: .utf8)
        let urls = list.split(separator: "\n").compactMap { URL(string: String($0)) }
        let width = words.count > 3 ? Int(words[3]) ?? 64 : 64
        var total = 0
        for _ in 0..<(words.count > 4 ? Int(words[4]) ?? 1 : 1) {
            total += try await get(urls, width: width)
        }
        print(total)
    }
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
exit(0)
