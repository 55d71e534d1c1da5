import CoreData

extension NSAttributeType {
    /// The range of an integer attribute's values; nil for other types.
    var integerRange: ClosedRange<Int64>? {
        switch self {
        case .integer16AttributeType: Int64(Int16.min)...Int64(Int16.max)
        case .integer32AttributeType: Int64(Int32.min)...Int64(Int32.max)
        case .integer64AttributeType: Int64.min...Int64.max
        default: nil
        }
    }
}
