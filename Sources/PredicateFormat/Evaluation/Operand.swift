import Foundation

/// A value sorted by what comparisons can do with it.
enum Operand {
    /// nil and `NSNull`.
    case null
    case number(Number)
    case string(String)
    /// Seconds since 2001.
    case date(TimeInterval)
    /// Anything else: objects, collections, UUIDs, data.
    case other(Any)

    init(_ value: Any?) {
        guard let value else {
            self = .null
            return
        }
        self.init(unwrapped: value)
    }

    init(unwrapped value: Any) {
        let type = type(of: value)
        if type == String.self {
            self = .string(exactly(value, as: String.self))
        } else if type == Int.self {
            self = .number(.int(Int64(exactly(value, as: Int.self))))
        } else if type == Double.self {
            self = .number(.double(exactly(value, as: Double.self)))
        } else if type == Date.self {
            self = .date(exactly(value, as: Date.self).timeIntervalSinceReferenceDate)
        } else if type is AnyClass {
            self.init(object: value as AnyObject)
        } else if let number = Number(unwrapped: value) {
            self = .number(number)
        } else if let optional = value as? any OptionalValue {
            self.init(optional.wrapped)
        } else if let string = value as? any StringProtocol {
            self = .string(String(string))
        } else if let character = value as? Character {
            self = .string(String(character))
        } else {
            self = .other(value)
        }
    }

    private init(object: AnyObject) {
        switch object {
        case let string as NSString: self = .string(String._unconditionallyBridgeFromObjectiveC(string))
        case let number as NSNumber: self = .number(Number(number))
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
}

/// An optional inside an `Any`.
protocol OptionalValue {
    var wrapped: Any? { get }
}

extension Optional: OptionalValue {
    var wrapped: Any? { map { $0 as Any } }
}
