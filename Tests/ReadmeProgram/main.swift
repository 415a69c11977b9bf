import Ferry
import Foundation

guard let url = URL(string: CommandLine.arguments.dropFirst().first ?? "") else {
    print("There is no URL to load.")
    exit(2)
}
let session = URLSession(configuration: .background(withIdentifier: "downloads"))
try await session.file(from: url, to: URL(filePath: "debian.iso"))
print("complete")
