public import Foundation

// What `%@` of `NSLog` and `String(format:)` stands for. Apple's system passes the object; Foundation on Linux takes
// only its own there, and traps on any other, so that its description is passed in its place.
// The names are the standard library's:
// swift-format-ignore: NoLeadingUnderscores
extension CVarArg where Self: NSObject {
    /// The object's description.
    public var _cVarArgObject: any CVarArg { NSString(string: description) }

    /// The words that stand for the object; ``_cVarArgObject`` is passed in its place.
    public var _cVarArgEncoding: [Int] { NSString(string: description)._cVarArgEncoding }
}

extension URLSession: CVarArg, _CVarArgObject {}
extension URLSessionTask: CVarArg, _CVarArgObject {}
extension URLSessionConfiguration: CVarArg, _CVarArgObject {}
extension URLSessionTaskMetrics: CVarArg, _CVarArgObject {}
extension URLSessionTaskTransactionMetrics: CVarArg, _CVarArgObject {}
extension URLCache: CVarArg, _CVarArgObject {}
extension URLProtocol: CVarArg, _CVarArgObject {}
