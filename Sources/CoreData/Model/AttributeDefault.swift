import Foundation
import ModelFormat

/// The value new objects start with in one attribute.
///
/// Numbers stay as a model's file has them: a program opens all its models, and looks at few default values as objects.
enum AttributeDefault {
    case none
    case object(Any)
    case flag(Bool)
    case integer(Int64)
    case double(Double)

    init(_ object: Any?) { self = object.map { .object($0) } ?? .none }

    /// A constant of a model's file.
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

    var isNone: Bool {
        if case .none = self { return true }
        return false
    }

    /// The value as attributes hand it out.
    var object: Any? {
        switch self {
        case .none: nil
        case .object(let object): object
        case .flag(let flag): NSNumber(value: flag)
        case .integer(let integer): NSNumber(value: integer)
        case .double(let double): NSNumber(value: double)
        }
    }
}
