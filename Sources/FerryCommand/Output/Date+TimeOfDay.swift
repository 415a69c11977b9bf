import Foundation

extension Date {
    /// The time of day where the user is, such as `14:03:22`.
    var timeOfDay: String {
        let parts = Calendar(identifier: .gregorian)
            .dateComponents([.hour, .minute, .second], from: self)
        return [parts.hour, parts.minute, parts.second]
            .map { String($0 ?? 0).leftPadding(toColumn: 2, with: "0") }
            .joined(separator: ":")
    }
}
