#if canImport(CoreDataSQLiteStorage)
import CoreDataRowStorage
import Foundation

/// The property that a key path leads to.
enum PropertyPath {
    case attribute(CellKind)
    case composite
    case object(EntityLayout)
    case entity
    /// An aggregate over a to-many relationship; `isTotal` for sums and means.
    case aggregate(isTotal: Bool)
    /// The members of a to-many relationship, or their values.
    case members(Members)

    struct Members {
        /// The keys before the relationship.
        var prefix: [String]
        var owner: EntityLayout
        var relationship: EntityLayout.Relationship
        var destination: EntityLayout
        /// The keys after it.
        var rest: [String]
    }

    /// The entity of the objects at the end of the path; nil for values.
    var objects: EntityLayout? {
        switch self {
        case .object(let layout): layout
        case .members(let members) where members.rest.isEmpty: members.destination
        default: nil
        }
    }
}

/// Follows key paths by the model, with messages for keys that it lacks.
struct PropertyPaths {
    let layouts: ModelLayouts

    /// Returns the keys of a path.
    ///
    /// - Throws: ``StoreToolError/Code/invalidQuery`` for an empty key.
    func keys(of path: String) throws -> [String] {
        let keys = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard keys.allSatisfy({ !$0.isEmpty }) else {
            throw StoreToolError(
                .invalidQuery, "\"\(path)\" is not a key path.", advice: "A key path is names with dots between them.")
        }
        return keys
    }

    /// Follows a path from an entity.
    ///
    /// - Throws: ``StoreToolError/Code/invalidQuery`` naming the entity, the unknown key and known ones like it.
    func follow(_ keys: [String], from start: EntityLayout) throws -> PropertyPath {
        var layout = start
        var members: PropertyPath.Members?
        func result(_ value: PropertyPath) -> PropertyPath { members.map { .members($0) } ?? value }
        for (index, key) in keys.enumerated() {
            let rest = Array(keys[(index + 1)...])
            if key.hasPrefix("@") {
                guard members != nil else {
                    throw StoreToolError(
                        .invalidQuery,
                        "\(keys.joined(separator: ".")) has \(key) without a to-many relationship before it.",
                        advice: "Write it as in messages.@count or messages.@sum.size.")
                }
                if !rest.isEmpty { _ = try follow(rest, from: layout) }
                return .aggregate(isTotal: key == "@sum" || key == "@avg")
            }
            guard let (owner, member) = find(key, in: layout) else {
                if ["self", "SELF", "objectID"].contains(key) { continue }
                if key == "entity", rest.isEmpty { return result(.entity) }
                throw unknown(key, of: layout)
            }
            switch member {
            case .cell(let cell) where owner.cells[cell].kind == .reference:
                let relationship = owner.relationships[owner.cells[cell].relationshipIndex]
                layout = try destination(of: relationship, owner)
            case .cell(let cell):
                if rest == ["length"], owner.cells[cell].kind == .string { return result(.attribute(.int64)) }
                try requireEnd(rest, after: key, owner)
                try requireStored(owner.cells[cell].isTransient, key, owner)
                return result(.attribute(owner.cells[cell].kind))
            case .composite(_, let cells):
                return result(try element(rest, of: key, cells, owner))
            case .toMany(let number):
                let relationship = owner.relationships[number]
                try requireStored(relationship.isTransient, key, owner)
                layout = try destination(of: relationship, owner)
                if members == nil {
                    members = PropertyPath.Members(
                        prefix: Array(keys[..<index]), owner: owner, relationship: relationship, destination: layout,
                        rest: rest)
                }
            case .fetched:
                throw StoreToolError(
                    .invalidQuery, "\(owner.name).\(key) is a fetched property, which a store does not contain.",
                    advice: "Query the entity that it fetches.")
            }
        }
        return result(.object(layout))
    }

    private func element(
        _ rest: [String], of key: String, _ cells: [Int], _ owner: EntityLayout
    ) throws -> PropertyPath {
        if let cell = cells.first(where: { owner.cells[$0].elementPath == rest }) {
            try requireStored(owner.cells[cell].isTransient, key, owner)
            return .attribute(owner.cells[cell].kind)
        }
        guard cells.contains(where: { owner.cells[$0].elementPath.starts(with: rest) }) else {
            let paths = cells.map { owner.cells[$0].elementPath.joined(separator: ".") }
            let path = rest.joined(separator: ".")
            throw StoreToolError(
                .invalidQuery, "The composite attribute \(owner.name).\(key) has no element \(path).",
                advice: Self.advice(for: path, among: paths))
        }
        return .composite
    }

    private func destination(
        of relationship: EntityLayout.Relationship, _ owner: EntityLayout
    ) throws -> EntityLayout {
        if let destination = layouts.byNumber[relationship.destinationNumber] { return destination }
        throw StoreToolError(
            .invalidQuery, "\(owner.name).\(relationship.name) leads to an entity that is not in the model.")
    }

    private func requireEnd(_ rest: [String], after key: String, _ owner: EntityLayout) throws {
        guard let next = rest.first else { return }
        throw StoreToolError(
            .invalidQuery, "\(owner.name).\(key) is an attribute and has no property \(next).",
            advice: "Only relationships and composite attributes are followed by another key.")
    }

    private func requireStored(_ isTransient: Bool, _ key: String, _ owner: EntityLayout) throws {
        guard isTransient else { return }
        throw StoreToolError(
            .invalidQuery, "\(owner.name).\(key) is transient, and a store does not contain it.",
            advice: "Use the properties that it is computed from.")
    }

    /// Returns a property of an entity, or of a subentity, with the entity that has it.
    private func find(_ key: String, in layout: EntityLayout) -> (EntityLayout, EntityLayout.Member)? {
        if let member = layout.members[key] { return (layout, member) }
        for number in layout.familyNumbers {
            if let below = layouts.byNumber[number], let member = below.members[key] { return (below, member) }
        }
        return nil
    }

    // MARK: Messages

    private func unknown(_ key: String, of layout: EntityLayout) -> StoreToolError {
        var names: Set<String> = []
        for number in layout.familyNumbers {
            names.formUnion(layouts.byNumber[number].map { Set($0.members.names) } ?? [])
        }
        return StoreToolError(
            .invalidQuery, "The entity \(layout.name) has no property \(key).",
            advice: Self.advice(for: key, among: Array(names)))
    }

    /// Returns the error for an entity that is not in the model.
    func unknownEntity(_ name: String) -> StoreToolError {
        StoreToolError(
            .invalidQuery, "The model has no entity \(name).",
            advice: Self.advice(for: name, among: layouts.all.map(\.name)))
    }

    /// Returns a sentence with the names that are most like a wrong one, or with some of all names.
    static func advice(for wrong: String, among names: [String]) -> String? {
        let sorted = names.sorted()
        guard !sorted.isEmpty else { return nil }
        let limit = max(1, wrong.count / 3)
        let near = sorted.map { (name: $0, distance: SpellingDistance.between(wrong, $0, limit: limit)) }
            .filter { $0.distance <= limit || !wrong.isEmpty && $0.name.lowercased().hasPrefix(wrong.lowercased()) }
            .sorted { $0.distance < $1.distance }.prefix(3).map(\.name)
        if !near.isEmpty { return "Did you mean \(list(near, "or"))?" }
        let shown = sorted.prefix(12)
        return "It has \(list(Array(shown), "and"))\(sorted.count > shown.count ? ", and others" : "")."
    }

    private static func list(_ names: [String], _ word: String) -> String {
        guard names.count > 1 else { return names.joined() }
        return names.dropLast().joined(separator: ", ") + " \(word) " + names[names.count - 1]
    }
}

/// The number of letters by which two names differ.
enum SpellingDistance {
    /// Returns the number of insertions, deletions and replacements between two names, in which case does not count;
    /// a number above the limit if there are more.
    static func between(_ one: String, _ other: String, limit: Int) -> Int {
        let (a, b) = (Array(one.lowercased().unicodeScalars), Array(other.lowercased().unicodeScalars))
        guard abs(a.count - b.count) <= limit, a.count <= 200 else { return limit + 1 }
        var row = Array(0...b.count)
        for (i, letter) in a.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, candidate) in b.enumerated() {
                let replaced = diagonal + (letter == candidate ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(replaced, row[j] + 1, row[j + 1] + 1)
            }
        }
        return row[b.count]
    }
}
#endif
