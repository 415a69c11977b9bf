/// The types of the interface `io.ferry.Transfer`, by the names that the interface gives them.
///
/// They stand in a namespace because one of them is called `Task`, as it is everywhere else in Ferry,
/// and would hide Swift's in every file that imports this module.
package enum Wire {
    /// The interface's name, which precedes its methods' and errors' names in messages.
    package static let interface = "io.ferry.Transfer"
}
