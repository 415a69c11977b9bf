package import CAdwaita

extension Layout {
    /// The window, which its definition calls `window`.
    package var window: UnsafeMutablePointer<GtkWindow> {
        object("window").assumingMemoryBound(to: GtkWindow.self)
    }

    /// Calls a closure when the person closes the window.
    package func whenClosed(_ body: @escaping @MainActor () -> Void) {
        // "destroy" would come too late: it waits for all who have a reference, and the layout has one.
        connect(object("window"), "unrealize", body)
    }
}
