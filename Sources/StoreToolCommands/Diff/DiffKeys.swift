import Foundation
import ModelFormat
import StoreTools

/// The attributes by which objects of two stores are taken for the same one.
struct DiffKeys {
    /// The names from `--key`, by entity.
    let given: [String: [String]]

    /// Returns the key attributes of an entity that both models have; none if one of them lacks an attribute of the key.
    func keys(of first: EntityFacts, _ second: EntityFacts) throws -> [String] {
        let names = try keys(of: first)
        return names.allSatisfy { second.attribute($0) != nil } ? names : []
    }

    /// Returns the key attributes of an entity: those given, a uniqueness constraint of attributes, or an attribute with
    /// the name of an identifier; none if objects are compared by their primary keys.
    private func keys(of facts: EntityFacts) throws -> [String] {
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

/// The compared properties of an entity.
struct DiffPlan {
    /// A compared property.
    struct Column {
        let property: String
        /// The columns of a query with its value: one, or the related objects and each of their key attributes.
        let paths: [String]
        let isUnordered: Bool
    }

    let entity: String
    /// The key attributes; empty for the primary key.
    let keys: [String]
    let columns: [Column]
    /// Properties that only one of the models has.
    let onlyInFirst: [String]
    let onlyInSecond: [String]

    /// The columns of a query: keys, then values.
    var paths: [String] { keys + columns.flatMap(\.paths) }

    init(_ entity: String, _ first: Model, _ second: Model, _ keys: DiffKeys) throws {
        let (a, b) = (try EntityFacts(entity, in: first), try EntityFacts(entity, in: second))
        self.entity = entity
        let own = try keys.keys(of: a, b)
        self.keys = own
        var columns = a.attributes.filter { !own.contains($0.name) && b.attribute($0.name) != nil }.map {
            Column(property: $0.name, paths: [$0.name], isUnordered: false)
        }
        for relationship in a.toOnes + a.toManys {
            let others = relationship.isToMany ? b.toManys : b.toOnes
            guard let other = others.first(where: { $0.name == relationship.name }) else { continue }
            let destination = try EntityFacts(relationship.destinationName, in: first)
            let inverse = (destination.toOnes + destination.toManys).first { $0.name == relationship.inverseName }
            // The other side of a to-one says the same, unless it has an order.
            if relationship.isToMany, let inverse, !inverse.isToMany, !relationship.isOrdered { continue }
            let target = try keys.keys(of: destination, EntityFacts(other.destinationName, in: second))
            columns.append(
                Column(
                    property: relationship.name,
                    paths: [relationship.name] + target.map { "\(relationship.name).\($0)" },
                    isUnordered: relationship.isToMany && !(relationship.isOrdered && other.isOrdered)))
        }
        self.columns = columns
        let (namesA, namesB) = (Self.names(a), Self.names(b))
        onlyInFirst = namesA.subtracting(namesB).sorted()
        onlyInSecond = namesB.subtracting(namesA).sorted()
    }

    private static func names(_ facts: EntityFacts) -> Set<String> {
        Set(facts.attributes.map(\.name) + facts.toOnes.map(\.name) + facts.toManys.map(\.name))
    }

    // MARK: Values

    /// Returns the values to compare of a row: objects by their keys, unordered lists sorted.
    func values(_ row: StoreQuery.Row) -> [StoreQuery.Value] {
        var rest = row.values.dropFirst(keys.count)
        return columns.map { column in
            let own = Array(rest.prefix(column.paths.count))
            rest = rest.dropFirst(column.paths.count)
            let value = Self.keyed(own[0], own.dropFirst())
            guard column.isUnordered, case .list(let members) = value else { return value }
            return .list(members.map { (ValueText.json($0), $0) }.sorted { $0.0 < $1.0 }.map(\.1))
        }
    }

    /// Returns objects, or one object, by the values of their key attributes; by its primary key one that has none.
    private static func keyed(_ objects: StoreQuery.Value, _ keys: ArraySlice<StoreQuery.Value>) -> StoreQuery.Value {
        if case .list(let members) = objects {
            return .list(
                members.indices.map { index in
                    keyed(members[index], keys.map { member($0, index) }[...])
                })
        }
        let plain = plain(objects)
        let known = keys.map(Self.plain)
        if objects == .none || known.allSatisfy({ $0 == .none }) { return plain }
        return known.count == 1 ? known[0] : .list(known)
    }

    private static func member(_ list: StoreQuery.Value, _ index: Int) -> StoreQuery.Value {
        if case .list(let values) = list, index < values.count { values[index] } else { .none }
    }

    /// Returns a value in the form in which it is compared: objects without the identifier of their store, and dates in
    /// microseconds, as they are written and exported.
    private static func plain(_ value: StoreQuery.Value) -> StoreQuery.Value {
        switch value {
        case .object(let uri, _): .string(ValueText.short(uri))
        case .date(let date): .date(Self.rounded(date))
        case .list(let members): .list(members.map(plain))
        case .composite(let elements): .composite(elements.mapValues(plain))
        default: value
        }
    }

    private static func rounded(_ date: Date) -> Date {
        let microseconds = date.timeIntervalSinceReferenceDate * 1e6
        return microseconds.magnitude < 1e17 ? Date(timeIntervalSinceReferenceDate: microseconds.rounded() / 1e6) : date
    }

    /// Returns the values of the key attributes of a row in the form in which they are compared.
    func keyValues(_ row: StoreQuery.Row) -> [StoreQuery.Value] {
        keys.isEmpty ? [.integer(row.key)] : row.values.prefix(keys.count).map(Self.plain)
    }
}
