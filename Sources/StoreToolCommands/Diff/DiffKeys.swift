import ModelFormat
import StoreTools

/// The attributes by which objects of two stores are taken for the same one.
struct DiffKeys {
    /// The names from `--key`, by entity.
    let given: [String: [String]]

    /// Returns the key attributes of an entity: those given, a uniqueness constraint of attributes, or an attribute whose
    /// name says that it identifies; none if objects are compared by their primary keys.
    func keys(of facts: EntityFacts) throws -> [String] {
        for entity in facts.lineage {
            guard let names = given[entity.name] else { continue }
            for name in names where facts.attribute(name) == nil {
                let near = Suggestion.nearest(to: name, among: facts.attributes.map(\.name))
                throw StoreToolError(
                    .invalidQuery, "The entity \(facts.name) has no attribute “\(name)”.",
                    advice: near.map { "Did you mean \($0)?" } ?? "--key takes Entity=attribute.")
            }
            return names
        }
        let constraints = facts.lineage.flatMap(\.uniquenessConstraints)
        let usable = constraints.filter { names in !names.isEmpty && names.allSatisfy { facts.attribute($0) != nil } }
        if let shortest = usable.min(by: { $0.count < $1.count }) { return shortest }
        var names = ["id", "identifier", "uuid"]
        names += facts.lineage.map { "\($0.name)id".lowercased() }
        for name in names {
            let attribute = facts.attributes.first { $0.name.lowercased() == name }
            if let attribute { return [attribute.name] }
        }
        return []
    }
}

/// What is compared of an entity.
struct DiffPlan {
    let entity: String
    /// The key attributes; empty for the primary key.
    let keys: [String]
    /// The compared values: a property and its column in a query.
    let columns: [(property: String, path: String, isUnordered: Bool)]
    /// Properties that only one of the models has.
    let onlyInFirst: [String]
    let onlyInSecond: [String]

    /// The columns of a query: keys, then values.
    var paths: [String] { keys + columns.map(\.path) }

    init(_ entity: String, _ first: Model, _ second: Model, _ keys: DiffKeys) throws {
        let (a, b) = (try EntityFacts(entity, in: first), try EntityFacts(entity, in: second))
        self.entity = entity
        let wanted = try keys.keys(of: a)
        self.keys = wanted.allSatisfy { b.attribute($0) != nil } ? wanted : []
        var columns: [(String, String, Bool)] = []
        for attribute in a.attributes where !self.keys.contains(attribute.name) && b.attribute(attribute.name) != nil {
            columns.append((attribute.name, attribute.name, false))
        }
        for relationship in a.toOnes + a.toManys {
            let others = relationship.isToMany ? b.toManys : b.toOnes
            guard others.contains(where: { $0.name == relationship.name }) else { continue }
            let destination = try EntityFacts(relationship.destinationName, in: first)
            let inverse = (destination.toOnes + destination.toManys).first { $0.name == relationship.inverseName }
            // The other side of a to-one says the same, unless it has an order.
            if relationship.isToMany, let inverse, !inverse.isToMany, !relationship.isOrdered { continue }
            let target = try keys.keys(of: destination)
            let path = target.count == 1 ? "\(relationship.name).\(target[0])" : relationship.name
            columns.append((relationship.name, path, relationship.isToMany && !relationship.isOrdered))
        }
        self.columns = columns.map { (property: $0.0, path: $0.1, isUnordered: $0.2) }
        let (namesA, namesB) = (Self.names(a), Self.names(b))
        onlyInFirst = namesA.subtracting(namesB).sorted()
        onlyInSecond = namesB.subtracting(namesA).sorted()
    }

    private static func names(_ facts: EntityFacts) -> Set<String> {
        Set(facts.attributes.map(\.name) + facts.toOnes.map(\.name) + facts.toManys.map(\.name))
    }

    /// Returns the values to compare of a row: objects without the identifier of their store, unordered lists sorted.
    func values(_ row: StoreQuery.Row) -> [StoreQuery.Value] {
        zip(columns, row.values.dropFirst(keys.count)).map { column, value in
            let plain = Self.plain(value)
            guard column.isUnordered, case .list(let members) = plain else { return plain }
            return .list(members.map { (ValueText.json($0), $0) }.sorted { $0.0 < $1.0 }.map(\.1))
        }
    }

    private static func plain(_ value: StoreQuery.Value) -> StoreQuery.Value {
        switch value {
        case .object(let uri, _): .string(ValueText.short(uri))
        case .list(let members): .list(members.map(plain))
        default: value
        }
    }
}
