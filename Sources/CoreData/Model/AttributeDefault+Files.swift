import CoreDataRowStorage
import ModelFormat

extension AttributeDefault {
    /// Creates a default value from a constant of a model file.
    init(_ value: ModelValue?, type: NSAttributeType) {
        guard let value else {
            self = .none
            return
        }
        switch (type, value) {
        case (.booleanAttributeType, .bool(let flag)): self = .flag(flag)
        case (.integer16AttributeType, .integer(let integer)), (.integer32AttributeType, .integer(let integer)),
            (.integer64AttributeType, .integer(let integer)):
            self = .integer(integer)
        case (.doubleAttributeType, .double(let double)), (.floatAttributeType, .double(let double)):
            self = .double(double)
        default: self.init(ModelConstants.object(from: value, type: type))
        }
    }
}
