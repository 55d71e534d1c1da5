import Foundation

// Foundation off Apple makes neither predicates nor expressions nor sort descriptors archivable. The archives written
// here hold the format string with its constants beside it, so they cannot be read by Apple's framework, nor the other
// way round.

extension NSPredicate: @retroactive NSCoding {}
extension NSPredicate: @retroactive NSSecureCoding {
    public static var supportsSecureCoding: Bool { true }
}

extension NSCoding where Self: NSPredicate {
    /// Reads a predicate from an archive. One read by a secure coder must be allowed to evaluate first, with
    /// `allowEvaluation()`.
    public init?(coder: NSCoder) {
        guard let (format, arguments) = FormatArchive.decode(coder),
            let node = try? PredicateNode(format: format, arguments: arguments),
            let predicate = PredicateObjects.make(node, mayEvaluate: !coder.requiresSecureCoding) as? Self
        else { return nil }
        self = predicate
    }

    /// Writes the predicate to an archive. Predicates with blocks cannot be archived, as at Apple.
    public func encode(with coder: NSCoder) {
        var printer = FormatPrinter(collectsArguments: true)
        printer.print(node)
        FormatArchive.encode(printer, coder)
    }
}

extension NSCoding where Self: NSSortDescriptor {
    /// Reads a sort descriptor from an archive.
    public init?(coder: NSCoder) {
        let key = coder.decodeObject(of: NSString.self, forKey: "key").map(String._unconditionallyBridgeFromObjectiveC)
        let selector = coder.decodeObject(of: NSString.self, forKey: "selector")
            .map { Selector(String._unconditionallyBridgeFromObjectiveC($0)) }
        let descriptor = KeyedSortDescriptor(
            key: key, ascending: coder.decodeBool(forKey: "ascending"), selector: selector)
        guard let result = descriptor as? Self else { return nil }
        self = result
    }

    /// Writes the sort descriptor to an archive. Descriptors that compare by code cannot be archived, as at Apple.
    public func encode(with coder: NSCoder) {
        if case .comparator = sortKey.comparison {
            fatalError("Sort descriptors with comparator blocks cannot be archived")
        }
        if let key { coder.encode(NSString(string: key), forKey: "key") }
        if let selector { coder.encode(NSString(string: selector.name), forKey: "selector") }
        coder.encode(ascending, forKey: "ascending")
    }
}

extension NSSortDescriptor: @retroactive NSCoding {}
extension NSSortDescriptor: @retroactive NSSecureCoding {
    public static var supportsSecureCoding: Bool { true }
}

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
            NSSet.self, NSDictionary.self, NSDecimalNumber.self,
        ]
        guard let format = coder.decodeObject(of: NSString.self, forKey: "format"),
            let arguments = coder.decodeObject(of: classes, forKey: "arguments") as? NSArray
        else { return nil }
        return (String._unconditionallyBridgeFromObjectiveC(format), arguments.map { $0 })
    }

    /// The value as an object an archive can hold.
    private static func archivable(_ value: Any?) -> Any {
        switch PredicateValue(value) {
        case .null: return NSNull()
        case .number(let number):
            switch number {
            case .int(let value): return NSNumber(value: value)
            case .unsigned(let value): return NSNumber(value: value)
            case .double(let value): return NSNumber(value: value)
            case .decimal(let value): return NSDecimalNumber(decimal: value)
            }
        case .string(let string): return NSString(string: string)
        case .date(let date): return NSDate(timeIntervalSinceReferenceDate: date)
        case .other(let other):
            if let uuid = other as? UUID { return uuid as NSUUID }
            if let data = other as? Data { return data as NSData }
            if let url = other as? URL { return url as NSURL }
            if let collection = other as? any PredicateCollection {
                let elements = collection.predicateElements.map { archivable($0) }
                // Hashing an NSDecimalNumber off Apple does not return. As an array the set compares the same.
                let canBeSet = collection.isPredicateSet && !elements.contains { $0 is NSDecimalNumber }
                return canBeSet ? NSSet(array: elements) : NSArray(array: elements)
            }
            return other
        }
    }
}
