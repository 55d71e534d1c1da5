import Foundation
import ModelFormat

/// A table of the new store, and what its rows must be like.
final class RescueTable {
    enum Kind {
        /// The table of a root entity.
        case entity(EntityTable)
        /// The table of a many-to-many relationship.
        case join(JoinTable)
        /// A table of persistent history; its rows have this number.
        case history(Int)
        /// A table of the program's own.
        case foreign
    }

    /// The values that a column may have.
    enum Rule {
        case any
        case integer(ClosedRange<Int64>)
        case number
        case decimal
        case text
        case blob
        case uuid
        case external
    }

    /// A column, and the property that it stores.
    struct Column {
        let name: String
        var rule = Rule.any
        var property: String?
        /// True if values that violate the rule are references, not attributes.
        var isReference = false
    }

    /// A column that must have a value in the rows of an entity.
    struct Requirement {
        let column: Int
        let path: String
        /// The model's default value.
        let value: StoredValue?
        let neutralValue: StoredValue?
    }

    let name: String
    let kind: Kind
    var columns: [Column]
    /// The number of columns that records of the damaged file have at most.
    let sourceCount: Int
    /// The column that is the row's key in the file; nil for tables with a key of SQLite's own.
    let keyColumn: Int?
    let entityColumn: Int?
    let versionColumn: Int?
    /// The root page in the damaged file; nil if unknown.
    let root: Int?
    /// The names of concrete entities by number.
    var entities: [Int64: StoreEntity] = [:]
    var requirements: [Int64: [Requirement]] = [:]
    /// True if all rows were copied from a table that is not damaged.
    var isIntact = false
    /// The keys of rows from pages that are not in the table's tree, by the rank of the page.
    var outsideKeys: [Int: KeySet] = [:]
    /// The keys of rows on free pages that are not in the table.
    var deletedKeys = KeySet()
    /// The keys that the rows have and refer to; nil if they are to be read from the new store.
    var facts: TableFacts?
    /// The highest and lowest keys of intact leaves, sorted, as evidence of deletions.
    var intactRanges: [ClosedRange<Int64>] = []
    /// Proof by an index that rows exist.
    var evidence: IndexEvidence?

    init(name: String, kind: Kind, columns: [String], sourceCount: Int, keyColumn: Int?, root: Int?) {
        self.name = name
        self.kind = kind
        self.columns = columns.map { Column(name: $0) }
        self.sourceCount = sourceCount
        self.keyColumn = keyColumn
        self.root = root
        func place(_ name: String) -> Int? { columns.firstIndex { $0.uppercased() == name } }
        switch kind {
        case .entity, .history: (entityColumn, versionColumn) = (place("Z_ENT"), place("Z_OPT"))
        default: (entityColumn, versionColumn) = (nil, nil)
        }
    }

    var isEntity: Bool { if case .entity = kind { true } else { false } }
    var join: JoinTable? { if case .join(let join) = kind { join } else { nil } }

    /// Returns whether an intact leaf shows that a key is not in use, if it is not in the table.
    func isKnownAsDeleted(_ key: Int64) -> Bool {
        var (low, high) = (0, intactRanges.count)
        while low < high {
            let middle = (low + high) / 2
            if intactRanges[middle].upperBound < key { low = middle + 1 } else { high = middle }
        }
        return low < intactRanges.count && intactRanges[low].contains(key)
    }

    /// Returns the rank of the page from which a row was taken.
    func rank(of key: Int64) -> Int { outsideKeys.first { $0.value.contains(key) }?.key ?? 0 }

    /// Notes the rank of the page from which a row was taken.
    func setRank(_ rank: Int, of key: Int64) {
        if rank > 0 { outsideKeys[rank, default: KeySet()].insert(key) }
    }

    /// Takes the rules of the columns from the model.
    func describe(_ schema: StoreSchema) {
        let places = Dictionary(columns.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        switch kind {
        case .entity(let table):
            for number in table.family {
                guard let entity = schema.entity(number) else { continue }
                entities[Int64(number)] = entity
                describe(entity, places)
            }
        case .join:
            for place in columns.indices {
                columns[place].rule = .integer(Int64.min...Int64.max)
                columns[place].isReference = true
            }
        default: break
        }
    }

    private func describe(_ entity: StoreEntity, _ places: [String: Int]) {
        for attribute in entity.attributes {
            guard let place = places[attribute.column] else { continue }
            columns[place].rule = Self.rule(attribute)
            columns[place].property = attribute.path
            guard attribute.isRequired, !attribute.isDerived else { continue }
            let isUnique = entity.uniqueColumns.contains { $0.contains(attribute.column) }
            requirements[Int64(entity.number), default: []].append(
                Requirement(
                    column: place, path: attribute.path,
                    value: attribute.defaultValue.flatMap { Self.stored($0, attribute) },
                    neutralValue: isUnique ? nil : Self.neutralValue(attribute)))
        }
        for toOne in entity.toOnes {
            for (column, property) in [
                (toOne.column, toOne.name), (toOne.entityColumn, toOne.name), (toOne.orderColumn, toOne.name),
            ] {
                guard let column, let place = places[column] else { continue }
                columns[place].rule = .integer(Int64.min...Int64.max)
                columns[place].property = property
                columns[place].isReference = true
            }
        }
    }

    /// Returns the value of a type that means nothing; nil if there is none.
    private static func neutralValue(_ attribute: StoredAttribute) -> StoredValue? {
        switch attribute.type {
        case .integer16, .integer32, .integer64, .boolean, .decimal: .integer(0)
        case .double, .float, .date: .real(0)
        case .string: .text("")
        case .binary: .blob(attribute.allowsExternalFiles ? Data([1]) : Data())
        case .uuid: .blob(Data(count: 16))
        case .uri, .transformable, .undefined, .objectID, .composite: nil
        }
    }

    private static func rule(_ attribute: StoredAttribute) -> Rule {
        switch attribute.type {
        case .integer16: .integer(Int64(Int16.min)...Int64(Int16.max))
        case .integer32: .integer(Int64(Int32.min)...Int64(Int32.max))
        case .integer64: .integer(Int64.min...Int64.max)
        case .boolean: .integer(0...1)
        case .decimal: .decimal
        case .double, .float, .date: .number
        case .string, .uri: .text
        case .uuid: .uuid
        case .binary: attribute.allowsExternalFiles ? .external : .blob
        case .transformable: attribute.allowsExternalFiles ? .external : .blob
        case .undefined, .objectID, .composite: .any
        }
    }

    /// Returns a default value as it is stored; nil if it has no plain form.
    static func stored(_ value: ModelValue, _ attribute: StoredAttribute) -> StoredValue? {
        switch value {
        case .bool(let value): return .integer(value ? 1 : 0)
        case .integer(let value):
            switch attribute.type {
            case .double, .float: return .real(Double(value))
            case .boolean: return .integer(value == 0 ? 0 : 1)
            default: return .integer(value)
            }
        case .double(let value):
            switch attribute.type {
            case .integer16, .integer32, .integer64, .boolean: return Int64(exactly: value).map { .integer($0) }
            default: return .real(value)
            }
        case .decimal(let value): return .real(NSDecimalNumber(decimal: value).doubleValue)
        case .string(let value): return .text(value)
        case .url(let value): return .text(value)
        case .date(let value): return .real(value)
        case .uuid(let value): return .blob(withUnsafeBytes(of: value.uuid) { Data($0) })
        case .data(let value):
            guard attribute.type == .binary else { return nil }
            return .blob(attribute.allowsExternalFiles ? Data([1]) + value : value)
        case .array, .dictionary, .archive: return nil
        }
    }
}
