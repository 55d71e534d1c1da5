import CoreDataRuntimeSupport
import Foundation

/// A value classified by the comparisons it supports.
///
/// Types that conform to ``KeyValueCoding`` can return these directly, which avoids boxing in `Any`; see
/// ``KeyValueCoding/predicateValue(forKey:)``.
public enum PredicateValue {
    /// nil and `NSNull`.
    case null
    /// A number of any type; `Bool` counts as 0 or 1.
    case number(PredicateNumber)
    /// Text.
    case string(String)
    /// A date, in seconds since 2001.
    case date(TimeInterval)
    /// Anything else: objects, collections, UUIDs, data.
    case other(Any)

    /// Classifies a value. Empty optionals and `NSNull` are ``null``.
    @inline(__always)
    public init(_ value: Any?) {
        self = withUnsafePointer(to: value) { Self(at: $0) }
    }

    init(at pointer: UnsafePointer<Any?>) {
        let contents = ExistentialContents(pointer)
        let type = contents.type
        if type == Int.self {
            self = .number(.int(Int64(contents.load(as: Int.self))))
        } else if type == String.self {
            self = .string(contents.load(as: String.self))
        } else if type == Double.self {
            self = .number(.double(contents.load(as: Double.self)))
        } else if type == Bool.self {
            self = .number(.int(contents.load(as: Bool.self) ? 1 : 0))
        } else if type == Date.self {
            self = .date(contents.load(as: Date.self).timeIntervalSinceReferenceDate)
        } else if type is AnyClass {
            self.init(object: contents.load(as: AnyObject.self))
        } else if let value = pointer.pointee {
            self.init(rare: value)
        } else {
            self = .null
        }
    }

    private init(rare value: Any) {
        if type(of: value) == AnyHashable.self, let hashable = value as? AnyHashable {
            // An element of a set with values of several types.
            self.init(hashable.base)
        } else if type(of: value) is AnyClass {
            self.init(object: value as AnyObject)
        } else if let number = PredicateNumber(rare: value) {
            self = .number(number)
        } else if let optional = value as? any OptionalValue {
            self.init(optional.anyWrapped)
        } else if let string = value as? any StringProtocol {
            self = .string(String(string))
        } else if let character = value as? Character {
            self = .string(String(character))
        } else if let date = value as? Date {
            self = .date(date.timeIntervalSinceReferenceDate)
        } else {
            self = .other(value)
        }
    }

    private init(object: AnyObject) {
        switch object {
        case let string as NSString: self = .string(String._unconditionallyBridgeFromObjectiveC(string))
        case let number as NSNumber: self = .number(PredicateNumber(number))
        case is NSNull: self = .null
        case let date as NSDate: self = .date(date.timeIntervalSinceReferenceDate)
        case let uuid as NSUUID: self = .other(UUID._unconditionallyBridgeFromObjectiveC(uuid))
        case let data as NSData: self = .other(Data._unconditionallyBridgeFromObjectiveC(data))
        case let url as NSURL: self = .other(URL._unconditionallyBridgeFromObjectiveC(url))
        default: self = .other(object)
        }
    }

    var isNull: Bool {
        if case .null = self { return true }
        return false
    }

    /// The value as the closest Swift type; nil for ``null``.
    var value: Any? {
        switch self {
        case .null: nil
        case .number(let number): number.value
        case .string(let string): string
        case .date(let date): Date(timeIntervalSinceReferenceDate: date)
        case .other(let value): value
        }
    }
}
