package import Foundation

/// What a desktop does with a user's files.
@MainActor
package protocol DesktopFiles: AnyObject {
    /// Moves a file to the trash, from where a person can restore it.
    func trash(_ file: URL) throws
    /// Shows a file in the file manager.
    func show(_ file: URL)
}
