import Foundation

#if FERRY
import Ferry
#else
import FoundationNetworking
#endif

// download KIND LIST DIRECTORY: downloads the URLs of a list, one a line, as fast as it can.
// KIND is `default` or, with Ferry, `background`. Files are named by their URLs' last components.

let words = CommandLine.arguments
guard words.count == 4, let list = try? String(contentsOfFile: words[2], encoding: .utf8) else {
    print("Usage: download default|background LIST DIRECTORY")
    exit(2)
}
let urls = list.split(separator: "\n").compactMap { URL(string: String($0)) }

func configuration() -> URLSessionConfiguration {
    #if FERRY
    if words[1] == "background" {
        Application.shared.identifier = "org.example.Benchmark"
        Application.shared.relaunch = nil
        return .background(withIdentifier: "benchmark")
    }
    #endif
    return .default
}

let settings = configuration()
settings.httpMaximumConnectionsPerHost = 16
let session = URLSession(
    configuration: settings,
    delegate: Downloads(directory: words[3], count: urls.count),
    delegateQueue: nil
)
for url in urls {
    let task = session.downloadTask(with: url)
    task.taskDescription = url.lastPathComponent
    task.resume()
}
RunLoop.main.run()
