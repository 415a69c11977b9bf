// What an app imports is `Ferry` alone: Apple's own URLSession where there is one, ours on top of
// FoundationNetworking's value types elsewhere. A declaration of this module wins over one of the
// same name that it re-exports, so `URLSession` is Ferry's in every file that does not also import
// FoundationNetworking itself.
#if canImport(Darwin)
@_exported public import Foundation
#else
@_exported public import FoundationNetworking
#endif
