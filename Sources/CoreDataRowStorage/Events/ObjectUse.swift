/// What a program does with an object that reads none of its values.
package enum ObjectUse: Sendable {
    /// Asked for its ID, or referred to it.
    case reference
    /// Deleted it.
    case deletion
}
