extension AttributeType {
    /// Returns whether an inferred migration converts values of this type to another type.
    ///
    /// Integers of all widths convert to each other, to and from Double and Float; Booleans convert to integers. A value that
    /// does not fit its new type is an error of the migration, not of the inference.
    package func converts(to other: AttributeType) -> Bool {
        guard self != other else { return false }
        switch (self, other) {
        case (.boolean, _): return other.isInteger
        case (_, .boolean): return false
        default: return (isInteger || isFloatingPoint) && (other.isInteger || other.isFloatingPoint)
        }
    }

    /// The name of the type in Xcode's editor.
    package var words: String {
        switch self {
        case .undefined: "undefined"
        case .integer16: "Integer 16"
        case .integer32: "Integer 32"
        case .integer64: "Integer 64"
        case .decimal: "Decimal"
        case .double: "Double"
        case .float: "Float"
        case .string: "String"
        case .boolean: "Boolean"
        case .date: "Date"
        case .binary: "Binary Data"
        case .uuid: "UUID"
        case .uri: "URI"
        case .transformable: "Transformable"
        case .objectID: "object ID"
        case .composite: "Composite"
        }
    }

    var isInteger: Bool { self == .integer16 || self == .integer32 || self == .integer64 }
    package var isFloatingPoint: Bool { self == .double || self == .float }
}
