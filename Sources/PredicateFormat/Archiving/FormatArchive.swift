import Foundation

/// A format string and its arguments in an archive.
enum FormatArchive {
    static func encode(_ printer: FormatPrinter, _ coder: NSCoder) {
        coder.encode(NSString(string: printer.text), forKey: "format")
        let arguments = (printer.arguments ?? []).map { archivable($0) }
        coder.encode(NSArray(array: arguments), forKey: "arguments")
    }

    static func decode(_ coder: NSCoder) -> (format: String, arguments: [Any?])? {
        let classes: [AnyClass] = [
            NSArray.self, NSString.self, NSNumber.self, NSDate.self, NSData.self, NSUUID.self, NSURL.self, NSNull.self,
            NSSet.self, NSDictionary.self, ArchivedDecimal.self,
        ]
        guard let format = coder.decodeObject(of: NSString.self, forKey: "format"),
            let arguments = coder.decodeObject(of: classes, forKey: "arguments") as? NSArray
        else { return nil }
        return (String._unconditionallyBridgeFromObjectiveC(format), arguments.map { unarchived($0) })
    }

    /// Returns `value` as an object that an archive can hold; objects of other classes are returned unchanged.
    private static func archivable(_ value: Any?) -> Any {
        switch PredicateValue(value) {
        case .null: return NSNull()
        case .number(let number):
            switch number {
            case .int(let value): return NSNumber(value: value)
            case .unsigned(let value): return NSNumber(value: value)
            case .double(let value): return NSNumber(value: value)
            case .decimal(let value): return ArchivedDecimal(value)
            }
        case .string(let string): return NSString(string: string)
        case .date(let date): return NSDate(timeIntervalSinceReferenceDate: date)
        case .other(let other):
            if let uuid = other as? UUID { return uuid as NSUUID }
            if let data = other as? Data { return data as NSData }
            if let url = other as? URL { return url as NSURL }
            if let collection = other as? any PredicateCollection {
                let elements = collection.predicateElements.map { archivable($0) }
                return collection.isPredicateSet ? NSSet(array: elements) : NSArray(array: elements)
            }
            if let dictionary = other as? any KeyedByString {
                let result = NSMutableDictionary()
                for (key, value) in dictionary.entries {
                    if let key = archivable(key) as? NSObject { result[key] = archivable(value) }
                }
                return result
            }
            return other
        }
    }

    /// Returns the value that was passed to ``archivable(_:)``; numbers, strings and dates remain objects.
    private static func unarchived(_ value: Any) -> Any {
        switch value {
        case let decimal as ArchivedDecimal: return decimal.value
        case let array as NSArray: return array.map { unarchived($0) }
        case let set as NSSet: return KeyValueAccess.set(set.allObjects.map { unarchived($0) })
        case let dictionary as NSDictionary:
            let result = NSMutableDictionary()
            for (key, value) in dictionary {
                if let key = key as? NSObject { result[key] = unarchived(value) }
            }
            return result
        default: return value
        }
    }
}

/// A decimal number in an archive, as text: archivers hash the objects they encode, and off Apple's platforms Foundation's hash
/// of an `NSDecimalNumber` never returns.
final class ArchivedDecimal: NSObject, NSSecureCoding {
    let value: Decimal

    static var supportsSecureCoding: Bool { true }

    init(_ value: Decimal) {
        self.value = value
    }

    init?(coder: NSCoder) {
        guard let text = coder.decodeObject(of: NSString.self, forKey: "decimal"),
            let value = Decimal(string: String._unconditionallyBridgeFromObjectiveC(text))
        else { return nil }
        self.value = value
    }

    func encode(with coder: NSCoder) {
        coder.encode(NSString(string: "\(value)"), forKey: "decimal")
    }

    override func isEqual(_ object: Any?) -> Bool { (object as? ArchivedDecimal)?.value == value }
    override var hash: Int { PredicateNumber.decimal(value).hashValue }
}
