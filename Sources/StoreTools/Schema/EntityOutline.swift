import ModelFormat

/// An entity in the order of entity numbers, with the properties that it adds to those it inherits.
///
/// Used while a schema is derived, by one thread.
final class EntityOutline {
    /// A property with a value in the entity's own table: an attribute, an element of a composite one, or a to-one
    /// relationship.
    final class Cell {
        /// The name of the property: for an element, that of the composite attribute.
        let name: String
        /// The name, or the dotted path of an element.
        let path: String
        /// The attribute or element; nil for a relationship.
        let attribute: AttributeTraits?
        let relationship: RelationshipOutline?
        /// True if the cell is an element of a composite attribute.
        let isElement: Bool
        let isTransient: Bool
        /// True if every row must have a value.
        let isRequired: Bool
        /// The kind of the column; nil if the property has none.
        let kind: ColumnKind?
        /// The columns in the file.
        var column: String?
        var entityColumn: String?
        var orderColumn: String?

        /// Creates the cell of an attribute.
        init(_ attribute: Attribute) {
            name = attribute.name
            path = attribute.name
            self.attribute = AttributeTraits(attribute)
            relationship = nil
            isElement = false
            isTransient = attribute.isTransient
            isRequired = !attribute.isOptional && !attribute.isDerived
            kind = attribute.isTransient ? nil : ColumnKind(attribute)
        }

        /// Creates the cell of an element of a composite attribute.
        ///
        /// - Parameter isRequired: whether the element and all composites around it must have values.
        init(_ element: Attribute, of whole: Attribute, path: String, isRequired: Bool) {
            name = whole.name
            self.path = path
            attribute = AttributeTraits(element)
            relationship = nil
            isElement = true
            isTransient = whole.isTransient
            self.isRequired = isRequired && !element.isDerived
            kind = whole.isTransient ? nil : ColumnKind(element)
        }

        /// Creates the cell of a to-one relationship.
        init(_ relationship: RelationshipOutline) {
            name = relationship.name
            path = relationship.name
            attribute = nil
            self.relationship = relationship
            isElement = false
            isTransient = relationship.isTransient
            isRequired = relationship.isRequired
            kind = .reference
        }

        /// The name without those of the composite attributes around it.
        var lastName: String { attribute?.name ?? name }
    }

    /// The meaning of a property's name.
    enum Member {
        case cell(Int)
        case toMany(Int)
        /// The cells of a composite attribute's elements.
        case composite(Range<Int>)
        case fetched
    }

    let entity: Entity
    /// The position in the order, which is the model's number less one.
    let index: Int
    let parent: EntityOutline?
    /// The position after the last subentity.
    var end: Int
    /// The number in the file.
    var number = 0
    /// The table of the hierarchy.
    let table: String
    /// The cells that the entity adds, in the order of properties.
    var cells: [Cell] = []
    /// The to-many relationships that the entity adds, in the order of properties.
    var toManys: [RelationshipOutline] = []
    /// The indexes that the entity declares.
    lazy var declaredIndexes = DeclaredIndexes.of(self)
    /// The uniqueness constraints that the entity declares, once its cells have columns.
    lazy var constraints = UniqueConstraint.all(of: self)
    var members: [String: Member] = [:]

    init(_ entity: Entity, index: Int, parent: EntityOutline?) {
        self.entity = entity
        self.index = index
        self.parent = parent
        end = index + 1
        table = parent?.table ?? "Z" + entity.name.uppercased()
    }

    var name: String { entity.name }
    var isRoot: Bool { parent == nil }
    var hasSubentities: Bool { end > index + 1 }

    var root: EntityOutline {
        var root = self
        while let parent = root.parent { root = parent }
        return root
    }

    /// The ancestors, the topmost first, and the entity itself.
    var lineage: [EntityOutline] {
        var lineage = [self]
        while let parent = lineage[lineage.count - 1].parent { lineage.append(parent) }
        return lineage.reversed()
    }

    /// Returns a property, and the entity that introduces it.
    func member(_ name: String) -> (owner: EntityOutline, member: Member)? {
        var outline = self
        while true {
            if let member = outline.members[name] { return (outline, member) }
            guard let parent = outline.parent else { return nil }
            outline = parent
        }
    }

    /// Returns a relationship, own or inherited.
    func relationship(_ name: String) -> RelationshipOutline? {
        guard let (owner, member) = member(name) else { return nil }
        switch member {
        case .cell(let index): return owner.cells[index].relationship
        case .toMany(let index): return owner.toManys[index]
        case .composite, .fetched: return nil
        }
    }

    /// Returns the cell of an attribute or to-one relationship, or of an element at a dotted path.
    func cell(at path: String) -> Cell? {
        if case (let owner, .cell(let index))? = member(path) { return owner.cells[index] }
        guard path.utf8.contains(UInt8(ascii: ".")) else { return nil }
        let name = String(path.prefix { $0 != "." })
        guard let (owner, member) = member(name) else { return nil }
        switch member {
        case .composite(let range): return owner.cells[range].first { $0.path == path }
        case .cell, .toMany, .fetched: return nil
        }
    }

    /// Returns the column of such a cell, or the columns of all elements of a composite attribute; empty if there is no such
    /// path, or an element without a column.
    func columns(at path: String) -> [String] {
        if let cell = cell(at: path) {
            if let column = cell.column { return [column] }
            if !cell.isElement { return [] }
        }
        guard case (let owner, .composite(let range))? = member(String(path.prefix { $0 != "." })) else { return [] }
        let isWhole = !path.utf8.contains(UInt8(ascii: "."))
        let columns = owner.cells[range].filter { isWhole || $0.path == path || $0.path.hasPrefix("\(path).") }
            .map(\.column)
        return columns.contains(nil) ? [] : columns.compactMap { $0 }
    }
}

/// The part of an attribute that a schema needs; the attribute is a larger value.
struct AttributeTraits {
    var name: String
    var type: AttributeType
    var derivation: String?
    var isIndexed: Bool
    var isPreserved: Bool
    var allowsExternalFiles: Bool
    var valueTransformerName: String?
    var valueClassName: String?
    var defaultValue: ModelValue?

    init(_ attribute: Attribute) {
        name = attribute.name
        type = attribute.type
        derivation = attribute.derivation
        isIndexed = attribute.isIndexed
        isPreserved = attribute.preservesValueInHistoryOnDeletion
        allowsExternalFiles = attribute.type == .binary && attribute.allowsExternalBinaryDataStorage
        valueTransformerName = attribute.valueTransformerName
        valueClassName = attribute.valueClassName
        defaultValue = attribute.defaultValue
    }
}

/// The kinds of columns, in the order in which Core Data sorts them.
enum ColumnKind: Int {
    case integer = 0
    case reference
    case real
    case decimal
    case string
    case uri
    case uuid
    case transformable
    case data
    case date

    /// Creates the kind of an attribute's column; nil if it has none.
    init?(_ attribute: Attribute) {
        switch attribute.type {
        case .integer16, .integer32, .integer64, .boolean: self = .integer
        case .double, .float: self = .real
        case .date: self = .date
        case .decimal: self = .decimal
        case .string: self = .string
        case .uri: self = .uri
        case .uuid: self = .uuid
        case .binary: self = .data
        case .transformable where !attribute.isTransient: self = .transformable
        case .transformable, .undefined, .objectID, .composite: return nil
        }
    }

    /// The rank in the order of a table's columns, after integers, references and order columns. Dates and real numbers are
    /// sorted as one.
    var rank: Int { self == .date ? Self.real.rawValue : rawValue }

    /// The type with which Core Data declares the column.
    var declaredType: String {
        switch self {
        case .integer, .reference: "INTEGER"
        case .real: "FLOAT"
        case .date: "TIMESTAMP"
        case .decimal: "DECIMAL"
        case .string, .uri: "VARCHAR"
        case .uuid, .transformable, .data: "BLOB"
        }
    }
}
