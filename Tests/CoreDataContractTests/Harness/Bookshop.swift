import CoreDataRowStorage
import PredicateFormat

/// The entities that the tests keep in each engine: a hierarchy of three, relationships of every form, an entity with an
/// attribute of every kind, a uniqueness constraint, and derived attributes. Made without a model.
enum Bookshop {
    static let layouts = makeLayouts()

    static func layout(_ name: String) -> EntityLayout {
        guard let layout = layouts.byName[name] else { preconditionFailure("The bookshop has no entity \(name).") }
        return layout
    }

    static func relationship(_ name: String, of entity: String) -> EntityLayout.Relationship {
        guard let found = layout(entity).relationships.first(where: { $0.name == name }) else {
            preconditionFailure("\(entity) has no relationship \(name).")
        }
        return found
    }

    /// What an expression's text says.
    static func expression(_ format: String) throws -> ExpressionNode { try NSExpression.parse(format).node }

    // MARK: What the model would know

    private final class Traits: EntityTraits {
        private let derivations: [String: String]
        private let defaults: [String: Int64]
        let constraintPaths: [[String]]
        let historyOrder: [String]

        init(
            _ properties: [String], derivations: [String: String], defaults: [String: Int64], constraints: [[String]]
        ) {
            historyOrder = properties.sorted()
            self.derivations = derivations
            self.defaults = defaults
            constraintPaths = constraints
        }

        func startingValue(of cell: EntityLayout.Cell) -> AttributeDefault {
            defaults[cell.name].map(AttributeDefault.integer) ?? .none
        }
        func valueClassName(of cell: EntityLayout.Cell) -> String? { nil }
        func derivation(of cell: EntityLayout.Cell) -> ExpressionNode? {
            derivations[cell.name].flatMap { try? expression($0) }
        }
        var declaredIndexes: [IndexTraits] { [] }
        var compoundIndexPaths: [[String]] { [] }
    }

    private final class Source: Sendable {}
    private static let source = Source()
    /// Layouts do not keep these alive.
    private nonisolated(unsafe) static var kept: [Traits] = []

    // MARK: Properties

    private static func attribute(
        _ name: String, _ kind: CellKind, _ more: EntityLayout.Traits = []
    ) -> PropertySpec {
        let element = ElementSpec(kind: kind, traits: more.union([.attribute, .optional]), source: source)
        return PropertySpec(name, source, .attribute(element))
    }

    private static func toOne(_ name: String, _ destination: Int, inverse: EntityLayout.Inverse) -> PropertySpec {
        relationship(name, destination, isToMany: false, isOrdered: false, .nullify, inverse)
    }

    private static func toMany(
        _ name: String, _ destination: Int, isOrdered: Bool = false, _ rule: EntityLayout.DeleteRule = .nullify,
        inverse: EntityLayout.Inverse?
    ) -> PropertySpec {
        relationship(name, destination, isToMany: true, isOrdered: isOrdered, rule, inverse)
    }

    private static func relationship(
        _ name: String, _ destination: Int, isToMany: Bool, isOrdered: Bool, _ rule: EntityLayout.DeleteRule,
        _ inverse: EntityLayout.Inverse?
    ) -> PropertySpec {
        let spec = RelationshipSpec(
            isToMany: isToMany, isOrdered: isOrdered, traits: .optional, deleteRule: rule,
            destinationNumber: destination, inverse: inverse)
        return PropertySpec(name, source, .relationship(spec))
    }

    private static func one(_ name: String) -> EntityLayout.Inverse {
        EntityLayout.Inverse(name: name, isToMany: false, isOrdered: false, isTransient: false, isOptional: true)
    }

    private static func many(_ name: String, isOrdered: Bool = false) -> EntityLayout.Inverse {
        EntityLayout.Inverse(name: name, isToMany: true, isOrdered: isOrdered, isTransient: false, isOptional: true)
    }

    // MARK: Entities

    private struct Entity {
        var name: String
        var parent: Int?
        var properties: [PropertySpec]
        var derivations: [String: String] = [:]
        var defaults: [String: Int64] = [:]
        var constraints: [[String]] = []
    }

    /// In the order of their numbers, from 1.
    private static var entities: [Entity] {
        [
            Entity(
                name: "Author",
                properties: [
                    attribute("name", .string), attribute("rating", .double), attribute("born", .date),
                    attribute("bookCount", .int64, .derived), attribute("shout", .string, .derived),
                    toMany("books", 2, inverse: one("author")),
                    toMany("drafts", 5, isOrdered: true, .cascade, inverse: one("author")),
                ], derivations: ["bookCount": "books.@count", "shout": "uppercase:(name)"]),
            Entity(
                name: "Book",
                properties: [
                    attribute("title", .string), attribute("pages", .int32), attribute("price", .decimal),
                    attribute("published", .date), attribute("mood", .string, .transient),
                    toOne("author", 1, inverse: many("books")), toMany("tags", 9, inverse: many("books")),
                    toMany("related", 2, inverse: many("related")),
                    toMany("fans", 6, inverse: many("favourites", isOrdered: true)),
                ]),
            Entity(name: "Novel", parent: 1, properties: [attribute("chapters", .int16)]),
            Entity(name: "Saga", parent: 2, properties: [attribute("volumes", .int64)]),
            Entity(
                name: "Draft",
                properties: [
                    attribute("text", .string), toOne("author", 1, inverse: many("drafts", isOrdered: true)),
                ]),
            Entity(
                name: "Reader",
                properties: [
                    attribute("nick", .string), toMany("favourites", 2, isOrdered: true, inverse: many("fans")),
                ]),
            Entity(
                name: "Sample",
                properties: [
                    attribute("short", .int16), attribute("int", .int32), attribute("long", .int64),
                    attribute("flag", .boolean), attribute("double", .double), attribute("float", .float),
                    attribute("date", .date), attribute("text", .string), attribute("link", .uri),
                    attribute("bytes", .data), attribute("uuid", .uuid), attribute("decimal", .decimal),
                    attribute("count", .int32),
                ], defaults: ["count": 7]),
            Entity(
                name: "Shelf",
                properties: [
                    attribute("label", .string), toMany("books", 2, inverse: nil),
                    toMany("row", 2, isOrdered: true, inverse: nil),
                ]),
            Entity(
                name: "Tag",
                properties: [
                    attribute("word", .string, .keptInHistory), attribute("weight", .int32),
                    toMany("books", 2, inverse: many("tags")),
                ], constraints: [["word"]]),
        ]
    }

    private static func makeLayouts() -> ModelLayouts {
        let entities = entities
        var names: [[String]] = []
        let specs = entities.map { entity in
            let inherited = entity.parent.map { names[$0] } ?? []
            names.append(inherited + entity.properties.map(\.name))
            let traits = Traits(
                names[names.count - 1], derivations: entity.derivations, defaults: entity.defaults,
                constraints: entity.constraints)
            kept.append(traits)
            var spec = EntitySpec(name: entity.name, isAbstract: false, parent: entity.parent, traits: traits)
            spec.properties = entity.properties
            return spec
        }
        return ModelLayouts(specs)
    }
}
