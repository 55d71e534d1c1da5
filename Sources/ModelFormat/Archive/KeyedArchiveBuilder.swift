import Foundation

/// Builds a keyed archive as `NSKeyedArchiver` does: an array of objects that reference each other by index.
struct KeyedArchiveBuilder {
    private var objects: [PropertyListNode] = [.string("$null")]
    private var strings: [String: Int] = [:]
    private var classes: [String: Int] = [:]

    /// A reference to the null object.
    static let null = PropertyListNode.uid(0)

    /// Reserves an index, so that other objects can reference an incomplete one.
    mutating func reserve() -> Int {
        objects.append(.string("$null"))
        return objects.count - 1
    }

    mutating func fill(_ index: Int, class name: String, _ values: [String: PropertyListNode]) {
        var values = values
        values["$class"] = .uid(classReference(name))
        objects[index] = .dictionary(values)
    }

    mutating func add(class name: String, _ values: [String: PropertyListNode]) -> PropertyListNode {
        let index = reserve()
        fill(index, class: name, values)
        return .uid(index)
    }

    /// Adds a plain value as a separate object.
    mutating func add(_ value: PropertyListNode) -> PropertyListNode {
        objects.append(value)
        return .uid(objects.count - 1)
    }

    mutating func add(string: String?) -> PropertyListNode {
        guard let string else { return Self.null }
        // The null object is identified by its text; a real string with that text is stored as a mutable string.
        if string == "$null" { return add(class: "NSMutableString", ["NS.string": .string(string)]) }
        if let known = strings[string] { return .uid(known) }
        objects.append(.string(string))
        strings[string] = objects.count - 1
        return .uid(objects.count - 1)
    }

    mutating func add(array: [PropertyListNode], class name: String = "NSArray") -> PropertyListNode {
        add(class: name, ["NS.objects": .array(array)])
    }

    mutating func add(
        dictionary: [(key: String, value: PropertyListNode)], class name: String = "NSMutableDictionary"
    ) -> PropertyListNode {
        let keys = dictionary.map { add(string: $0.key) }
        return add(class: name, ["NS.keys": .array(keys), "NS.objects": .array(dictionary.map(\.value))])
    }

    /// Returns the complete archive.
    func finished(root: PropertyListNode) -> Data {
        BinaryPropertyListWriter.write(
            .dictionary([
                "$archiver": .string("NSKeyedArchiver"),
                "$version": .integer(100_000),
                "$top": .dictionary(["root": root]),
                "$objects": .array(objects),
            ]))
    }

    private mutating func classReference(_ name: String) -> Int {
        if let known = classes[name] { return known }
        let lineage = [name] + (Self.ancestors[name] ?? []) + ["NSObject"]
        objects.append(
            .dictionary([
                "$classname": .string(name), "$classes": .array(lineage.map { .string($0) }),
            ]))
        classes[name] = objects.count - 1
        return objects.count - 1
    }

    /// The superclasses that an archive lists for each class, nearest first, without the root class.
    private static let ancestors: [String: [String]] = [
        "NSMutableDictionary": ["NSDictionary"],
        "NSMutableArray": ["NSArray"],
        "NSMutableSet": ["NSSet"],
        "NSMutableString": ["NSString"],
        "NSDecimalNumberPlaceholder": ["NSDecimalNumber", "NSNumber", "NSValue"],
        "NSKnownKeysDictionary1": ["NSKnownKeysDictionary", "NSMutableDictionary", "NSDictionary"],
        "NSKnownKeysMappingStrategy1": ["NSKnownKeysMappingStrategy"],
        "NSAttributeDescription": ["NSPropertyDescription"],
        "NSRelationshipDescription": ["NSPropertyDescription"],
        "NSFetchedPropertyDescription": ["NSPropertyDescription"],
        "NSExpressionDescription": ["NSPropertyDescription"],
        "NSDerivedAttributeDescription": ["NSAttributeDescription", "NSPropertyDescription"],
        "NSCompositeAttributeDescription": ["NSAttributeDescription", "NSPropertyDescription"],
        "NSFetchRequest": ["NSPersistentStoreRequest"],
        "NSComparisonPredicate": ["NSPredicate"],
        "NSCompoundPredicate": ["NSPredicate"],
        "NSTruePredicate": ["NSPredicate"],
        "NSFalsePredicate": ["NSPredicate"],
        "NSEqualityPredicateOperator": ["NSPredicateOperator"],
        "NSComparisonPredicateOperator": ["NSPredicateOperator"],
        "NSInPredicateOperator": ["NSPredicateOperator"],
        "NSBetweenPredicateOperator": ["NSPredicateOperator"],
        "NSCustomPredicateOperator": ["NSPredicateOperator"],
        "NSStringPredicateOperator": ["NSPredicateOperator"],
        "NSMatchingPredicateOperator": ["NSStringPredicateOperator", "NSPredicateOperator"],
        "NSLikePredicateOperator": ["NSMatchingPredicateOperator", "NSStringPredicateOperator", "NSPredicateOperator"],
        "NSSubstringPredicateOperator": ["NSStringPredicateOperator", "NSPredicateOperator"],
        "NSConstantValueExpression": ["NSExpression"],
        "NSSelfExpression": ["NSExpression"],
        "NSVariableExpression": ["NSExpression"],
        "NSKeyPathExpression": ["NSFunctionExpression", "NSExpression"],
        "NSKeyPathSpecifierExpression": ["NSExpression"],
        "NSFunctionExpression": ["NSExpression"],
        "NSAggregateExpression": ["NSExpression"],
        "NSSubqueryExpression": ["NSExpression"],
        "NSSetExpression": ["NSExpression"],
        "NSTernaryExpression": ["NSExpression"],
        "NSFetchRequestExpression": ["NSExpression"],
    ]
}

// MARK: - Objects from other archives

extension KeyedArchiveBuilder {
    /// Returns an archive of one object of another archive, with all objects reachable from it.
    static func extract(_ object: ArchivedObject) -> Data {
        var builder = KeyedArchiveBuilder()
        let root = builder.copy(object.index, of: object.archive)
        return builder.finished(root: root)
    }

    /// Adds the root of another archive; an unreadable archive becomes null.
    mutating func add(archive: Data) -> PropertyListNode {
        guard let other = try? KeyedArchive(archive), let root = try? other.root() else { return Self.null }
        return copy(root.index, of: other)
    }

    /// Copies an object and all objects reachable from it, without recursion, since they may form long chains and cycles.
    private mutating func copy(_ index: Int, of archive: KeyedArchive) -> PropertyListNode {
        var numbers: [Int: Int] = [0: 0]
        var pending: [Int] = []
        func number(_ index: Int, _ builder: inout KeyedArchiveBuilder) -> Int {
            guard archive.indices.contains(index) else { return 0 }
            if let known = numbers[index] { return known }
            let new = builder.reserve()
            numbers[index] = new
            pending.append(index)
            return new
        }
        func translated(_ node: PropertyListNode, _ builder: inout KeyedArchiveBuilder) -> PropertyListNode {
            switch node {
            case .uid(let index): return .uid(number(index, &builder))
            case .array(let items): return .array(items.map { translated($0, &builder) })
            case .dictionary(var entries):
                // In a deterministic order, so that equal objects produce equal archives.
                for (key, value) in entries.sorted(byText: \.key) {
                    entries[key] = translated(value, &builder)
                }
                return .dictionary(entries)
            default: return node
            }
        }
        let root = number(index, &self)
        while let next = pending.popLast() {
            let node = translated(archive.node(next), &self)
            objects[numbers[next] ?? 0] = node
        }
        return .uid(root)
    }
}
