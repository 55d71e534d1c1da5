/// A use of an object that reads none of its values.
package enum ObjectUse: Sendable {
    /// Reading its ID, or referring to it.
    case reference
    /// Deleting it.
    case deletion
}
