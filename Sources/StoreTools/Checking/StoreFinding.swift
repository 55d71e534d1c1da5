/// One thing that is wrong in a store.
public struct StoreFinding: Sendable, Hashable, CustomStringConvertible {
    /// The rules that a store must obey.
    public enum Rule: String, Sendable, CaseIterable {
        /// SQLite's own structure: pages, cells, indexes.
        case structure
        /// A system table, or the table of an entity, is missing or has other columns than the model requires.
        case schema
        /// The numbers and parents of entities in `Z_PRIMARYKEY`.
        case entityNumbers
        /// `Z_MAX` is below the highest key in use.
        case highestKey
        /// The entity number of a row is not one of its table, or is that of an abstract entity.
        case rowEntity
        /// A key is missing, is not positive, or is used twice.
        case rowKey
        /// A relationship refers to an object that does not exist.
        case danglingReference
        /// The entity number beside a to-one key is not that of the row it refers to.
        case referenceEntity
        /// A pair of a many-to-many relationship has no object at one end, or occurs twice.
        case joinRow
        /// Two sides of a one-to-one relationship do not agree.
        case inverse
        /// The positions of an ordered relationship are missing or not distinct.
        case order
        /// A required value is missing.
        case requiredValue
        /// Rows violate a uniqueness constraint.
        case uniqueness
        /// A value is not of its attribute's type.
        case valueType
        /// The file of an external value is missing.
        case missingFile
        /// A file of external values to which no row refers.
        case orphanedFile
        /// Persistent history is inconsistent.
        case history
        /// The store's metadata are missing or contradict the model.
        case metadata
        /// The cached model is missing or cannot be read.
        case model
        /// The value of a derived attribute is not what its derivation yields.
        case derivedValue
        /// An index or trigger is missing.
        case index
    }

    /// The ability of a rescue to correct a finding.
    public enum Remedy: String, Sendable {
        /// A rescue corrects it without loss.
        case mended
        /// A rescue makes the store consistent, but a value or row is lost.
        case mendedWithLoss
        /// A rescue cannot correct it.
        case none
    }

    /// The violated rule.
    public let rule: Rule
    /// The table, if it concerns one.
    public let table: String?
    /// The entity, if known.
    public let entity: String?
    /// The property, if it concerns one.
    public let property: String?
    /// The primary keys of the first rows concerned, at most ``keyLimit``.
    public let keys: [Int64]
    /// The number of rows concerned.
    public let count: Int
    /// The defect, in one sentence.
    public let message: String
    /// The cause, as far as it is known.
    public let cause: String?
    /// The ability of a rescue to correct it.
    public let remedy: Remedy

    /// The highest number of keys that a finding lists.
    public static let keyLimit = 20

    package init(
        _ rule: Rule, table: String? = nil, entity: String? = nil, property: String? = nil, keys: [Int64] = [],
        count: Int? = nil, _ message: String, cause: String? = nil, remedy: Remedy
    ) {
        self.rule = rule
        self.table = table
        self.entity = entity
        self.property = property
        self.keys = Array(keys.prefix(Self.keyLimit))
        self.count = count ?? max(keys.count, 1)
        self.message = message
        self.cause = cause
        self.remedy = remedy
    }

    public var description: String {
        let place = [entity ?? table, property].compactMap { $0 }.joined(separator: ".")
        let names = keys.map { "p\($0)" } + (count > keys.count ? ["…"] : [])
        let rows = keys.isEmpty ? "" : " (\(names.joined(separator: ", ")))"
        return (place.isEmpty ? "" : place + ": ") + message + rows
    }
}
