import CoreDataRowStorage
import CoreDataSQLQueries
import PredicateFormat

/// The tables of a bookshop, which no file has: authors with their books, some of which are novels, sagas or manuals; books
/// have tags, and other books they are related to.
final class Shop: TableNames {
    let layouts: ModelLayouts
    private let columnsByNumber: [Int: EntityColumns]

    init() {
        layouts = Self.makeLayouts()
        columnsByNumber = Dictionary(
            uniqueKeysWithValues: layouts.all.map { ($0.number, Self.columns($0)) })
    }

    let dialect: any SQLDialect = SQLiteDialect()

    // MARK: What stores say

    struct NoTable: Error {}

    func columns(of layout: EntityLayout) throws -> EntityColumns {
        guard let columns = columnsByNumber[layout.number] else { throw NoTable() }
        return columns
    }

    func columns(of relationship: EntityLayout.Relationship, in layout: EntityLayout)
        -> ToManyColumns?
    {
        switch relationship.name {
        case "books": .foreignKey(table: "ZBOOK", column: "ZAUTHOR", entityColumn: nil, order: nil)
        case "tags":
            .join(
                table: "Z_BOOKTAGS", source: "Z_BOOK", target: "Z_TAG", order: nil, sourceOrder: nil,
                isReflexive: false)
        case "related":
            .join(
                table: "Z_RELATED", source: "Z_ONE", target: "Z_OTHER", order: nil, sourceOrder: nil,
                isReflexive: true)
        default: nil
        }
    }

    /// The file counts entities from eleven.
    func number(inFileOf number: Int) -> Int { number + 10 }

    func collation(_ wanted: StringCollation) -> String? {
        switch wanted {
        case .binary: nil
        case .folded: "FOLDED"
        case .localized: "LOCAL"
        case .localizedStandard: "STANDARD"
        }
    }

    private static func columns(_ layout: EntityLayout) -> EntityColumns {
        let columns = EntityColumns(
            table: "Z\(layout.root.name.uppercased())", layout: layout, inherited: layout.superlayout.map(Self.columns))
        for cell in layout.ownCells {
            var place = CellColumns(isExternal: cell.traits.contains(.external))
            if !cell.isTransient { place.column = "Z\(cell.name.uppercased())" }
            columns.own.append(place)
        }
        return columns
    }

    // MARK: Layouts

    private final class Traits: EntityTraits {
        func startingValue(of cell: EntityLayout.Cell) -> AttributeDefault { .none }
        func valueClassName(of cell: EntityLayout.Cell) -> String? { nil }
        func derivation(of cell: EntityLayout.Cell) -> ExpressionNode? { nil }
        var declaredIndexes: [IndexTraits] { [] }
        var compoundIndexPaths: [[String]] { [] }
        var constraintPaths: [[String]] { [] }
        var historyOrder: [String] { [] }
    }

    private static func makeLayouts() -> ModelLayouts {
        let traits = Traits()
        func attribute(_ name: String, _ kind: CellKind, _ more: EntityLayout.Traits = [])
            -> PropertySpec
        {
            let element = ElementSpec(
                kind: kind, traits: more.union([.attribute, .optional]), source: traits)
            return PropertySpec(name, traits, .attribute(element))
        }
        func relationship(_ name: String, to destination: Int, many: Bool) -> PropertySpec {
            let relationship = RelationshipSpec(
                isToMany: many, isOrdered: false, traits: .optional, deleteRule: .nullify,
                destinationNumber: destination)
            return PropertySpec(name, traits, .relationship(relationship))
        }
        func entity(_ name: String, under parent: Int? = nil, _ properties: [PropertySpec])
            -> EntitySpec
        {
            var spec = EntitySpec(name: name, isAbstract: false, parent: parent, traits: traits)
            spec.properties = properties
            return spec
        }
        return ModelLayouts([
            entity(
                "Author",
                [
                    attribute("name", .string), attribute("rating", .double),
                    relationship("books", to: 2, many: true),
                ]),
            entity(
                "Book",
                [
                    attribute("title", .string), attribute("pages", .int32), attribute("price", .decimal),
                    attribute("cover", .data, .external), attribute("published", .date),
                    attribute("mood", .string, .transient), relationship("author", to: 1, many: false),
                    relationship("tags", to: 6, many: true), relationship("related", to: 2, many: true),
                    relationship("unkept", to: 6, many: true),
                ]),
            entity("Novel", under: 1, [attribute("chapters", .int32), attribute("form", .string)]),
            entity("Saga", under: 2, []),
            entity("Manual", under: 1, [attribute("form", .int32)]),
            entity("Tag", [attribute("word", .string)]),
        ])
    }
}

/// One query over the tables of a shop.
final class Query {
    let shop = Shop()
    let compiler: SQLCompiler
    let scope = QueryScope(parent: nil)
    private var writer = ShapeWriter()

    init(_ entity: String) {
        compiler = SQLCompiler(shop)
        guard let layout = shop.layouts.byName[entity] else {
            fatalError("The shop has no entity \(entity).")
        }
        scope.setPlace(layout, key: "t0.Z_PK", alias: "t0")
    }

    /// SQL as the dialect writes it.
    func text(_ sql: SQLFragment) -> String { sql.statement(in: shop.dialect).text }

    var joins: [String] { scope.joins.map(text) }

    func fragment(_ predicate: NSPredicate) throws -> SQLFragment {
        try compiler.predicate(writer.numbering(predicate.node), scope)
    }

    func condition(_ predicate: NSPredicate) throws -> String { try text(fragment(predicate)) }

    func condition(_ format: String, _ arguments: [Any?] = []) throws -> String {
        try condition(NSPredicate.parse(format, arguments: arguments))
    }

    func column(_ format: String) throws -> SQLFragment {
        compiler.aggregatesRows = true
        defer { compiler.aggregatesRows = false }
        let operand = try compiler.operand(writer.numbering(NSExpression.parse(format).node), scope)
        return try compiler.sql(operand, as: compiler.type(of: operand))
    }
}
