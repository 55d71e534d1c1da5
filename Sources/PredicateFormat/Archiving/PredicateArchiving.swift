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

    /// Writes the predicate to an archive. Predicates with blocks cannot be archived, as at Apple.
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
