import CSQLite

/// The orders of text that sort descriptors with a selector ask for, under the names Apple's framework gives them.
enum Collations {
    static func register(on handle: OpaquePointer) {}
}
