import Ferry
import Foundation

// A program as its template has it: statements at the top level, which call what belongs to the main actor.

final class Delegate: ApplicationDelegate {
    func application(
        _ application: Application,
        handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping @Sendable () -> Void
    ) {
        completionHandler()
    }
}

Application.shared.delegate = Delegate()
Application.shared.deliverBackgroundEvents()

guard let url = URL(string: "data:,la") else { exit(1) }
let task = URLSession.shared.dataTask(with: url) { data, _, _ in
    print(data.map { String(decoding: $0, as: UTF8.self) } ?? "nothing")
    exit(0)
}
task.resume()
Application.shared.run()
