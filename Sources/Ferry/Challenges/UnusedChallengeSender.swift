import Foundation
import FoundationNetworking

/// The sender of challenges that are answered by a handler, as URLSession's are.
///
/// Foundation insists on one. On Apple's systems it must not be used either.
final class UnusedChallengeSender: NSObject, URLAuthenticationChallengeSender, Sendable {
    static let only = UnusedChallengeSender()

    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}

    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}

    func cancel(_ challenge: URLAuthenticationChallenge) {}

    func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}

    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
}
