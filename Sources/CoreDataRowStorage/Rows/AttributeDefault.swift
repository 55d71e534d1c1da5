import Foundation

/// The value of one attribute in new objects.
///
/// Numbers keep the form of the model file: a program opens all its models, and reads few default values as objects.
package enum AttributeDefault {
    case none
    case object(Any)
    case flag(Bool)
    case integer(Int64)
    case double(Double)

    package init(_ object: Any?) { self = object.map { .object($0) } ?? .none }

    package var isNone: Bool {
        if case .none = self { return true }
        return false
    }

    /// The value in the type in which attributes return it.
    package var object: Any? {
        switch self {
        case .none: nil
        case .object(let object): object
        case .flag(let flag): NSNumber(value: flag)
        case .integer(let integer): NSNumber(value: integer)
        case .double(let double): NSNumber(value: double)
        }
    }
}
