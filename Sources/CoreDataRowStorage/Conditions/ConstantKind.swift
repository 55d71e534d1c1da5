import CoreDataRuntimeSupport
import Foundation
import PredicateFormat

/// The kind of a constant, as far as it determines the SQL around it.
package enum ConstantKind: UInt8 {
    case null, value, text, emptyText, object, collection, entity

    /// Returns the kind of the value at `place`. The value is copied only if its type is not one of the common ones.
    @inline(__always)
    package static func ofValue(at place: UnsafePointer<Any?>) -> ConstantKind {
        let contents = ExistentialContents(place)
        guard let type = contents.type else { return ConstantKind(place.pointee) }
        if isPlain(type) { return .value }
        if type == String.self { return contents.load(as: String.self).isEmpty ? .emptyText : .text }
        return ConstantKind(place.pointee)
    }

    @inline(__always)
    private static func isPlain(_ type: any Any.Type) -> Bool {
        type == Int.self || type == Int64.self || type == Double.self || type == Date.self || type == Bool.self
            || type == UUID.self || type == Int32.self || type == ArgumentPlace.self
    }

    /// Compares metatypes first, because casts cost far more.
    package init(_ value: Any?) {
        guard let value else {
            self = .null
            return
        }
        let type = Swift.type(of: value)
        if Self.isPlain(type) {
            self = .value
        } else if type == String.self, let text = value as? String {
            self = text.isEmpty ? .emptyText : .text
        } else if type is any RowIdentified.Type {
            self = .object
        } else if type is any PredicateCollection.Type {
            // Casting to a class would bridge the whole collection.
            self = .collection
        } else {
            self.init(single: value)
        }
    }

    private init(single value: Any) {
        switch value {
        case let text as String: self = text.isEmpty ? .emptyText : .text
        case is NSNumber, is Data, is NSDate, is NSUUID, is URL: self = .value
        case is any PredicateCollection: self = .collection
        case is NSNull: self = .null
        case is any EntityNamed: self = .entity
        case let text as any StringProtocol: self = text.isEmpty ? .emptyText : .text
        case is Character: self = .text
        case is any OptionalValue: self.init(OptionalContents.unwrapped(value))
        default: self = .value
        }
    }
}
