import MagicalRecord

/// The differences between the content of a store before and after its migration.
///
/// Object IDs may change in a migration, so objects are recognized by their values: two snapshots are equal if they have the
/// same values, the same combinations of values in one object, and the same links between these combinations, each equally often.
struct SnapshotComparison {
    let old: StoreSnapshot
    let new: StoreSnapshot
    let pairing: VersionPairing
    private let allowed: Set<String>

    private(set) var entities: [MigrationOutcome.Entity] = []
    /// The differences by design or that are allowed.
    var losses: [String] = []
    private(set) var failures: [String] = []

    /// Numbers for the combinations of values, the same in both snapshots.
    private var combinations: [Combination: Int] = [:]
    /// The combinations of the objects, by their numbers; nil for objects of removed entities.
    var oldMarks: [Int?]
    var newMarks: [Int?]

    init(_ old: StoreSnapshot, _ new: StoreSnapshot, _ pairing: VersionPairing, allowing allowed: Set<String>) {
        (self.old, self.new, self.pairing, self.allowed) = (old, new, pairing, allowed)
        oldMarks = Array(repeating: nil, count: old.count)
        newMarks = Array(repeating: nil, count: new.count)
        let pairs = new.entities.keys.sorted().map { name in
            Pair(name: name, formerName: pairing.entities[name], pairing.entities[name].flatMap { old.entities[$0] })
        }
        // Links are compared by the combinations of all entities.
        var values: [Int] = []
        for pair in pairs { values.append(compareObjects(of: pair)) }
        for (pair, values) in zip(pairs, values) {
            let links = compareLinks(of: pair)
            let (before, after) = (pair.old?.objects.count ?? 0, new.entities[pair.name]?.objects.count ?? 0)
            guard before + after > 0 else { continue }
            entities.append(
                .init(
                    name: pair.name, formerName: pair.formerName == pair.name ? nil : pair.formerName, before: before,
                    after: after, values: values, links: links))
        }
        let kept = Set(pairs.filter { $0.old != nil }.compactMap(\.formerName))
        for (name, entity) in old.entities.sorted(by: { $0.key < $1.key })
        where !kept.contains(name) && !entity.objects.isEmpty {
            if let current = pairing.entities.first(where: { $0.value == name })?.key {
                // It became abstract, or is no longer in the configuration.
                report("\(words(current, name)) lost \(entity.objects.count) objects", [current, name])
            } else {
                losses.append("\(entity.objects.count) objects of \(name)")
            }
            entities.append(
                .init(name: name, formerName: nil, before: entity.objects.count, after: 0, values: 0, links: 0))
        }
    }

    /// An entity of the new version, with the old one it is made from.
    struct Pair {
        let name: String
        let formerName: String?
        let old: StoreSnapshot.Entity?

        init(name: String, formerName: String?, _ old: StoreSnapshot.Entity?) {
            (self.name, self.formerName, self.old) = (name, old == nil ? nil : formerName, old)
        }
    }

    private struct Combination: Hashable {
        let entity: String
        let values: [AnyHashable?]
    }

    // MARK: Objects and values

    /// Compares the objects of an entity and returns the number of values compared.
    private mutating func compareObjects(of pair: Pair) -> Int {
        guard let after = new.entities[pair.name] else { return 0 }
        guard let before = pair.old else {
            // A new entity: a mapping model may fill it.
            numbers(of: after.objects, pair.name, [], into: \.newMarks)
            return 0
        }
        let names = [pair.name, pair.formerName ?? pair.name]
        let (countBefore, countAfter) = (before.objects.count, after.objects.count)
        if countBefore != countAfter {
            report("\(words(pair.name, pair.formerName)) has \(countAfter) objects, \(countBefore) before", names)
        }
        listRemovedAttributes(of: pair, before, after)
        var equalColumns: [(old: [AnyHashable?], new: [AnyHashable?])] = []
        var compared = 0
        for attribute in after.description.storedAttributes {
            guard let formerName = pairing.formerName(of: attribute.name, in: pair.name),
                var oldColumn = before.values[formerName], var newColumn = after.values[attribute.name]
            else { continue }
            let types = (before.description.attributesByName[formerName]?.attributeType, attribute.attributeType)
            if types.0 != types.1 {
                oldColumn = oldColumn.map { Self.text($0, types.0, comparedWith: types.1) }
                newColumn = newColumn.map { Self.text($0, types.1, comparedWith: types.0) }
            }
            compared += oldColumn.count { $0 != nil }
            let lost = Bag(oldColumn).subtracting(Bag(newColumn)), added = Bag(newColumn).subtracting(Bag(oldColumn))
            if lost.isEmpty && added.isEmpty { equalColumns.append((oldColumn, newColumn)) }
            let lostValues = lost.elements.compactMap(\.self)
            guard !lostValues.isEmpty else { continue }
            let place = words("\(pair.name).\(attribute.name)", "\(names[1]).\(formerName)")
            let others = added.elements.compactMap(\.self)
            report(
                "\(place) lost \(lostValues.count) of \(oldColumn.count { $0 != nil }) values: \(Self.listed(lostValues))"
                    + (others.isEmpty ? "" : "; new values: \(Self.listed(others))"),
                names + names.flatMap { ["\($0).\(attribute.name)", "\($0).\(formerName)"] })
        }
        let oldCombinations = numbers(of: before.objects, pair.name, equalColumns.map(\.old), into: \.oldMarks)
        let newCombinations = numbers(of: after.objects, pair.name, equalColumns.map(\.new), into: \.newMarks)
        let mixed = Bag(oldCombinations).subtracting(Bag(newCombinations)).elements.count
        if countBefore == countAfter, mixed > 0 {
            report("\(mixed) objects of \(pair.name) have values that belonged to other objects", names)
        }
        return compared
    }

    private mutating func listRemovedAttributes(
        of pair: Pair, _ before: StoreSnapshot.Entity, _ after: StoreSnapshot.Entity
    ) {
        guard let formerName = pair.formerName else { return }
        let kept = pairing.names(inOldEntity: formerName)
        for attribute in before.description.storedAttributes
        where kept[attribute.name].flatMap({ after.values[$0] }) == nil {
            let count = before.values[attribute.name, default: []].count { $0 != nil }
            if count > 0 { losses.append("\(count) values of \(formerName).\(attribute.name)") }
        }
    }

    /// Returns the numbers of the combinations of values of an entity's objects, and stores them by object.
    @discardableResult
    private mutating func numbers(
        of objects: Range<Int>, _ entity: String, _ columns: [[AnyHashable?]],
        into marks: WritableKeyPath<SnapshotComparison, [Int?]>
    ) -> [Int] {
        let found = objects.indices.map { object in
            let row = object - objects.lowerBound
            let combination = Combination(entity: entity, values: columns.map { $0[row] })
            let number = combinations[combination] ?? combinations.count
            combinations[combination] = number
            return number
        }
        self[keyPath: marks].replaceSubrange(objects, with: found)
        return found
    }

    // MARK: Texts

    mutating func report(_ text: String, _ names: [String]) {
        if allowed.isDisjoint(with: names) { failures.append(text) } else { losses.append(text) }
    }

    func words(_ name: String, _ formerName: String?) -> String {
        guard let formerName, formerName != name else { return name }
        return "\(name) (\(formerName) before)"
    }

    /// Returns a value as text, for comparison with values of another type.
    private static func text(
        _ value: AnyHashable?, _ type: NSAttributeType?, comparedWith other: NSAttributeType?
    ) -> AnyHashable? {
        guard let base = value?.base else { return nil }
        guard let number = base as? NSNumber else { return AnyHashable("\(base)") }
        // The text of a float is shorter than that of the same number as double.
        let isWidened = type == .floatAttributeType && other.map(numericTypes.contains) == true
        return AnyHashable((isWidened ? NSNumber(value: number.doubleValue) : number).stringValue)
    }

    private static let numericTypes: Set<NSAttributeType> = [
        .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .decimalAttributeType,
        .doubleAttributeType, .floatAttributeType,
    ]

    private static func listed(_ values: [AnyHashable]) -> String {
        let texts = values.map { value in
            if let data = value.base as? Data { return "\(data.count) bytes" }
            let text = "\(value.base)"
            return text.count > 40 ? "\(text.prefix(40))…" : text
        }.sorted()
        return texts.prefix(3).joined(separator: ", ") + (texts.count > 3 ? ", …" : "")
    }
}
