import Foundation

// Off Apple's platforms Foundation makes neither predicates nor expressions nor sort descriptors archivable. Archives written
// here hold the format string and its constants; they are not compatible with the archives of Apple's framework.

extension NSPredicate: @retroactive NSCoding {}
extension NSPredicate: @retroactive NSSecureCoding {
    /// True: predicates can be archived by secure coders.
    public static var supportsSecureCoding: Bool { true }
}

extension NSCoding where Self: NSPredicate {
    /// Reads a predicate from an archive. A predicate read by a secure coder cannot be evaluated before `allowEvaluation()` is
    /// called on it.
    public init?(coder: NSCoder) {
        guard let (format, arguments) = FormatArchive.decode(coder),
            let node = try? PredicateNode(archived: format, FormatArguments(arguments)),
            let predicate = Self.make(node, mayEvaluate: !coder.requiresSecureCoding)
        else { return nil }
        self = predicate
    }

    private static func make(_ node: PredicateNode, mayEvaluate: Bool) -> Self? {
        if let predicate = PredicateObjects.make(node, mayEvaluate: mayEvaluate) as? Self { return predicate }
        // AND and OR of one predicate print as that predicate, but were archived as compounds.
        return PredicateObjects.make(.and([node]), mayEvaluate: mayEvaluate) as? Self
    }

    /// Writes the predicate to an archive. Predicates with blocks cannot be archived, as on Apple's platforms.
    public func encode(with coder: NSCoder) {
        var printer = FormatPrinter(collectsArguments: true)
        printer.printWhole(node)
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

    /// Writes the sort descriptor to an archive. Archiving a descriptor with a comparator is a fatal error.
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
    /// True: sort descriptors can be archived by secure coders.
    public static var supportsSecureCoding: Bool { true }
}
