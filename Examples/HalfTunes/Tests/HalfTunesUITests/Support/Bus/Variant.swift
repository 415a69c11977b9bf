import CGio
import Glibc

/// A value as D-Bus carries it.
final class Variant {
    let pointer: OpaquePointer

    /// Takes over a reference, or a new value that nobody owns yet.
    init(_ pointer: OpaquePointer) {
        self.pointer = g_variant_take_ref(pointer)
    }

    deinit {
        g_variant_unref(pointer)
    }

    static func string(_ text: String) -> Variant {
        Variant(g_variant_new_string(text))
    }

    static func number(_ number: Int32) -> Variant {
        Variant(g_variant_new_int32(number))
    }

    static func number(_ number: UInt32) -> Variant {
        Variant(g_variant_new_uint32(number))
    }

    static func tuple(_ values: Variant...) -> Variant {
        var pointers = values.map { Optional($0.pointer) }
        return Variant(g_variant_new_tuple(&pointers, gsize(pointers.count)))
    }

    static func strings(_ texts: [String]) -> Variant {
        let words = texts.map { UnsafePointer(strdup($0)) }
        defer { for word in words { free(UnsafeMutablePointer(mutating: word)) } }
        return Variant(g_variant_new_strv(words, gssize(words.count)))
    }

    /// What a container holds; for a variant within a variant, what is in it.
    var values: [Variant] {
        guard g_variant_is_container(pointer) != 0 else { return [] }
        return (0..<g_variant_n_children(pointer)).map {
            Variant(g_variant_get_child_value(pointer, $0))
        }
    }

    /// A text, or an object's path; empty when it is neither.
    var text: String {
        let type = String(cString: g_variant_get_type_string(pointer))
        guard type == "s" || type == "o" else { return "" }
        return String(cString: g_variant_get_string(pointer, nil))
    }

    /// 0 when it is no number of 32 bits with a sign.
    var signedNumber: Int32 {
        let type = String(cString: g_variant_get_type_string(pointer))
        return type == "i" ? g_variant_get_int32(pointer) : 0
    }

    /// nil when it is no unsigned number of 32 bits.
    var number: UInt32? {
        let type = String(cString: g_variant_get_type_string(pointer))
        return type == "u" ? g_variant_get_uint32(pointer) : nil
    }
}
