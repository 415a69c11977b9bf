package import CAdwaita
import DesktopCore

/// The objects that an interface definition describes.
@MainActor
package final class Layout {
    private let builder: OpaquePointer

    /// Makes the objects.
    ///
    /// - Parameter definition: The text of a `.ui` file.
    package init(_ definition: [UInt8]) {
        guard let builder = gtk_builder_new() else { preconditionFailure("There is no builder.") }
        self.builder = builder
        gtk_builder_set_translation_domain(builder, translationDomain)
        var error: UnsafeMutablePointer<GError>?
        let isRead = definition.withUnsafeBytes { bytes in
            gtk_builder_add_from_string(
                builder,
                bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
                bytes.count,
                &error
            )
        }
        guard isRead != 0 else {
            preconditionFailure(error.map { String(cString: $0.pointee.message) } ?? "No layout.")
        }
    }

    isolated deinit {
        g_object_unref(UnsafeMutableRawPointer(builder))
    }

    /// An object, which lives as long as its window or its parent.
    package func object(_ name: String) -> UnsafeMutableRawPointer {
        guard let object = gtk_builder_get_object(builder, name) else {
            preconditionFailure("The layout has no \(name).")
        }
        return UnsafeMutableRawPointer(object)
    }

    /// An object of a type that Swift has no structure of.
    package func opaque(_ name: String) -> OpaquePointer {
        OpaquePointer(object(name))
    }

    /// A widget, as the functions of all widgets want it.
    package func widget(_ name: String) -> Widget {
        object(name).assumingMemoryBound(to: GtkWidget.self)
    }
}

/// A widget of any class.
package typealias Widget = UnsafeMutablePointer<GtkWidget>

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

extension Layout {
    /// Adds what a menu of a widget can ask for.
    ///
    /// - Parameters:
    ///   - actions: By name what to do.
    ///   - group: What comes before the names and a full stop, in the menu.
    ///   - name: The widget.
    package func add(
        _ actions: [(name: String, body: @MainActor () -> Void)],
        as group: String,
        to name: String
    ) {
        let map = g_simple_action_group_new()
        for (name, body) in actions {
            guard let action = g_simple_action_new(name, nil) else { continue }
            connect(UnsafeMutableRawPointer(action), "activate", body)
            g_action_map_add_action(OpaquePointer(map), action)
            g_object_unref(UnsafeMutableRawPointer(action))
        }
        gtk_widget_insert_action_group(widget(name), group, OpaquePointer(map))
        g_object_unref(map.map { UnsafeMutableRawPointer($0) })
    }
}
