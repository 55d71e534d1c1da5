import Foundation
import ModelFormat
import ModelPredicates
import Testing

/// Every stored property of every value is set, written and read. A property that is added and forgotten in a reader or
/// writer fails here.
@Suite("Writing and reading again")
struct LosslessTests {
    /// The names of the stored properties in which two values of a type differ.
    private func differences<T>(_ left: T, _ right: T) -> Set<String> {
        let others = Dictionary(
            uniqueKeysWithValues: Mirror(reflecting: right).children.map { ($0.label ?? "", text($0.value)) })
        return Set(
            Mirror(reflecting: left).children.compactMap { child in
                others[child.label ?? ""] == text(child.value) ? nil : child.label
            })
    }

    private func text(_ value: Any) -> String {
        // Equal dictionaries may print in different orders.
        (value as? [String: String]).map { "\($0.sorted { $0.key < $1.key })" } ?? "\(value)"
    }

    private func all<T>(_ value: T) -> Set<String> { Set(Mirror(reflecting: value).children.compactMap(\.label)) }

    private static let extra = (attributes: ["x": "1"], elements: [ExtraElement(name: "tint")])

    private static func attribute(_ type: AttributeType) -> Attribute {
        var attribute = Attribute(name: "a\(type.rawValue)", type: type, isOptional: true)
        attribute.isTransient = true
        attribute.allowsExternalBinaryDataStorage = true
        attribute.preservesValueInHistoryOnDeletion = true
        attribute.allowsCloudEncryption = true
        attribute.isIndexedBySpotlight = true
        attribute.isStoredInExternalRecord = true
        attribute.isIndexed = true
        attribute.renamingIdentifier = "old"
        attribute.versionHashModifier = "2"
        attribute.userInfo = ["k": "v"]
        attribute.usesScalarValueType = true
        attribute.extraAttributes = extra.attributes
        attribute.extraElements = extra.elements
        return attribute
    }

    private static let attributes: [Attribute] = {
        var text = attribute(.string)
        text.defaultValue = "abc"
        text.validation = [.minimumLength(1), .maximumLength(5), .pattern("[a-z]+")]
        var derived = attribute(.integer64)
        derived.derivation = "length:(a700)"
        derived.derivationFilter = "a700 != \"x\""
        derived.isReadOnly = true
        var object = attribute(.transformable)
        object.valueTransformerName = "Transformer"
        object.valueClassName = "[String]"
        var composite = attribute(.composite)
        composite.compositeName = "Point"
        composite.elements = point.attributes
        return [text, derived, object, composite].sorted { $0.name < $1.name }
    }()

    private static let point: CompositeType = {
        var point = CompositeType(name: "Point", attributes: [Attribute(name: "x", type: .double)])
        point.extraAttributes = extra.attributes
        return point
    }()

    private static let relationship: Relationship = {
        var relationship = Relationship(name: "parts", destinationName: "Full", inverseName: "parts", isToMany: true)
        relationship.isOptional = true
        relationship.isTransient = true
        relationship.isOrdered = true
        relationship.minCount = 2
        relationship.maxCount = 7
        relationship.deleteRule = .cascade
        relationship.isIndexed = true
        relationship.isReadOnly = true
        relationship.isIndexedBySpotlight = true
        relationship.isStoredInExternalRecord = true
        relationship.validation = [.predicate("name != \"x\"", .text("no x"))]
        relationship.renamingIdentifier = "pieces"
        relationship.versionHashModifier = "3"
        relationship.userInfo = ["k": "v"]
        relationship.extraAttributes = extra.attributes
        relationship.extraElements = extra.elements
        return relationship
    }()

    private static let template: FetchTemplate = {
        var template = FetchTemplate(name: "f", entityName: "Full", predicate: "a700 == \"x\"")
        template.sortKeys = [FetchTemplate.SortKey(key: "a700", ascending: false, selector: "compare:")]
        template.fetchLimit = 1
        template.fetchOffset = 2
        template.fetchBatchSize = 3
        template.resultType = .dictionaries
        template.includesSubentities = false
        template.includesPropertyValues = false
        template.includesPendingChanges = false
        template.returnsObjectsAsFaults = false
        template.returnsDistinctResults = true
        template.propertiesToFetch = ["a700"]
        template.propertiesToGroupBy = ["a700"]
        template.havingPredicate = "a700 != \"y\""
        template.relationshipKeyPathsForPrefetching = ["parts"]
        template.extraAttributes = extra.attributes
        return template
    }()

    private static let fetched: FetchedProperty = {
        var fetched = FetchedProperty(
            name: "found", fetchRequest: FetchTemplate(name: "fetchedPropertyFetchRequest", entityName: "Full"))
        fetched.fetchRequest.predicate = "a700 == $FETCH_SOURCE.a700"
        fetched.isOptional = true
        fetched.renamingIdentifier = "seen"
        fetched.versionHashModifier = "4"
        fetched.userInfo = ["k": "v"]
        fetched.extraAttributes = extra.attributes
        fetched.extraElements = extra.elements
        return fetched
    }()

    private static let index: FetchIndex = {
        var index = FetchIndex(
            name: "i", elements: [FetchIndexElement(.expression("entity", resultType: .string), isAscending: false)])
        index.partialIndexPredicate = "a700 != nil"
        index.extraAttributes = extra.attributes
        return index
    }()

    private static let entity: Entity = {
        var entity = Entity(name: "Full", className: ".Full", parentName: "Parent")
        entity.isAbstract = true
        entity.attributes = attributes
        entity.relationships = [relationship]
        entity.fetchedProperties = [fetched]
        entity.fetchIndexes = [index]
        entity.compoundIndexes = [["a700", "a300"]]
        entity.uniquenessConstraints = [["a700"]]
        entity.renamingIdentifier = "Whole"
        entity.versionHashModifier = "5"
        entity.userInfo = ["k": "v"]
        entity.codeGeneration = .categoryExtension
        entity.spotlightDisplayNameExpression = "a700"
        entity.extraAttributes = extra.attributes
        entity.extraElements = extra.elements
        return entity
    }()

    private static let model: Model = {
        var model = Model(entities: [entity, Entity(name: "Parent")])
        model.composites = [point]
        model.configurations = [Configuration(name: "c", entityNames: ["Full"])]
        model.fetchTemplates = [template]
        model.versionIdentifiers = ["v1"]
        model.sourceLanguage = "Swift"
        model.diagram = [DiagramElement(name: "Full", positionX: 1, positionY: 2, width: 3, height: 4)]
        model.extraAttributes = ["type": "t", "documentVersion": "1.0", "x": "1"]
        model.extraElements = extra.elements
        return model
    }()

    @Test("the sample leaves nothing at its default")
    func sample() {
        let attribute = Attribute(name: "", type: .undefined)
        #expect(
            Self.attributes.reduce(into: Set()) { $0.formUnion(differences($1, attribute)) } == all(attribute))
        let relationship = Relationship(name: "", destinationName: "")
        #expect(differences(Self.relationship, relationship) == all(relationship))
        let template = FetchTemplate(name: "", entityName: "")
        #expect(differences(Self.template, template) == all(template))
        let fetched = FetchedProperty(name: "", fetchRequest: template)
        #expect(differences(Self.fetched, fetched) == all(fetched))
        #expect(differences(Self.index, FetchIndex(name: "", elements: [])) == all(Self.index))
        #expect(differences(Self.entity, Entity(name: "")) == all(Self.entity))
        #expect(differences(Self.model, Model()) == all(Self.model))
    }

    /// What differs between two models, value by value, beside what each value holds of others.
    private func differences(_ left: Model, _ right: Model) throws -> [String: Set<String>] {
        var found: [String: Set<String>] = [:]
        let parts: Set = ["entities", "fetchTemplates"]
        found["Model"] = differences(left, right).subtracting(parts)
        let (one, other) = (
            try #require(left.entity(named: "Full")), try #require(right.entity(named: "Full"))
        )
        found["Entity"] = differences(one, other)
            .subtracting(["attributes", "relationships", "fetchedProperties", "fetchIndexes"])
        #expect(one.attributes.map(\.name) == other.attributes.map(\.name))
        for (first, second) in zip(one.attributes, other.attributes) {
            found["Attribute", default: []].formUnion(differences(first, second))
        }
        found["Relationship"] = differences(
            try #require(one.relationships.first), try #require(other.relationships.first))
        found["FetchedProperty"] = differences(
            try #require(one.fetchedProperties.first), try #require(other.fetchedProperties.first))
        found["FetchIndex"] = differences(try #require(one.fetchIndexes.first), try #require(other.fetchIndexes.first))
        found["FetchTemplate"] = differences(
            try #require(left.fetchTemplates.first), try #require(right.fetchTemplates.first))
        return found.filter { !$0.value.isEmpty }
    }

    /// These say nothing to the run time: code generation, the editor's and what is unknown.
    @Test("loses in an archive only what compiled models do not hold")
    func archive() throws {
        let extra: Set = ["extraAttributes", "extraElements"]
        for read in [
            try Model(archive: Self.model.archive(parser: FormatTextParser())),
            try Model(cacheContent: Self.model.cacheContent(parser: FormatTextParser())),
        ] {
            let found = try differences(Self.model, read)
            #expect(
                found == [
                    "Model": extra.union(["composites", "sourceLanguage", "diagram"]),
                    "Entity": extra.union(["codeGeneration", "spotlightDisplayNameExpression"]),
                    "Attribute": extra.union(["compositeName", "usesScalarValueType"]), "Relationship": extra,
                    "FetchedProperty": extra, "FetchIndex": ["extraAttributes"], "FetchTemplate": ["extraAttributes"],
                ], "\(found)")
        }
    }

    @Test("loses in XML only what is listed")
    func xml() throws {
        let read = try ModelDocument(xml: Self.model.xml()).model
        let found = try differences(Self.model, read)
        #expect(
            found == [
                "Attribute": ["derivationFilter"], "Relationship": ["isReadOnly", "validation"],
                "FetchIndex": ["partialIndexPredicate"],
                "FetchTemplate": [
                    "sortKeys", "propertiesToFetch", "propertiesToGroupBy", "havingPredicate",
                    "relationshipKeyPathsForPrefetching",
                ],
            ], "\(found)")
        #expect(
            Self.model.partsWithoutXMLForm().map { $0.message.replacing("XML models cannot hold the ", with: "") } == [
                "sort descriptors of the fetch request", "properties to fetch", "properties to group by",
                "predicate on groups", "relationships to prefetch", "derivation's filter", "validation predicates",
                "XML models cannot hold that it is read-only", "predicate of the partial index",
            ])
    }
}
