// An app imports `Ferry` alone. It gets Apple's own URLSession where there is one, and ours on top of
// FoundationNetworking's value types elsewhere. A declaration of this module takes precedence over a
// re-exported one of the same name, so `URLSession` is Ferry's in every file that does not also import
// FoundationNetworking itself.
#if canImport(Darwin)
@_exported public import Foundation
#else
@_exported public import FoundationNetworking
#endif
