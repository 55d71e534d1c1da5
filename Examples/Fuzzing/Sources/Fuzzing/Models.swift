import Foundation
import ModelFormat

extension Target {
    static let xmlModels = Target(
        name: "xml-models",
        words: [
            "<entity name=\"", "<attribute name=\"", "<relationship name=\"", "<userInfo>", "<entry key=\"",
            "<composite",
            "<fetchIndex name=\"", "<fetchIndexElement ", "<fetchRequest ", "<fetchedProperty ", "<configuration ",
            "<memberEntity ", "<uniquenessConstraint>", "<constraint value=\"", "attributeType=\"Integer 16\"",
            "attributeType=\"Transformable\"", "attributeType=\"Composite\"", "optional=\"YES\"", "toMany=\"YES\"",
            "minValueString=\"", "maxValueString=\"", "defaultValueString=\"", "parentEntity=\"", "inverseName=\"",
            "derivationExpression=\"", "<![CDATA[", "]]>", "<!--", "&amp;", "&#x10FFFF;", "<!DOCTYPE", "\u{FEFF}",
        ],
        seeds: { [sampleModel.xml(), Data(sampleXML)] },
        read: { try use(ModelDocument(xml: $0).model) })

    static let compiledModels = Target(
        name: "compiled-models",
        words: ["$objects", "$top", "$class", "$classname", "NS.keys", "NS.objects", "bplist00", "NSEntities"],
        seeds: {
            [
                try sampleModel.archive(parser: AnyText()),
                try ModelDocument(xml: Data(sampleXML)).model.archive(parser: AnyText()),
            ]
        },
        read: { data in
            _ = try? Model.unknownKeys(inArchive: data)
            try use(Model(archive: data))
        })

    /// Models as stored in the table Z_MODELCACHE.
    static let compressedModels = Target(
        name: "compressed-models",
        seeds: { [try sampleModel.cacheContent(parser: AnyText())] },
        read: { try use(Model(cacheContent: $0)) })

    /// Runs the checks of a model compiler and archives the model if it has no problems.
    static func use(_ model: Model) {
        _ = try? model.versionHashes()
        _ = model.warnings()
        _ = model.xml()
        guard model.problems().isEmpty else { return }
        guard let archive = try? model.archive(parser: AnyText()) else { return }
        do { _ = try Model(archive: archive) } catch { fatalError("A model's archive cannot be read: \(error)") }
    }

    /// The document of a sample model, as Xcode's model editor writes it.
    static let sampleXML = """
        <?xml version="1.0" encoding="UTF-8"?>
        <model userDefinedModelVersionIdentifier="1"><entity name="Base" isAbstract="YES" representedClassName="Base">
        <attribute name="id" optional="YES" attributeType="UUID"/>
        <attribute name="size" attributeType="Integer 16" defaultValueString="3" minValueString="1" maxValueString="9"/>
        <relationship name="owner" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Owner" \
        inverseName="things" inverseEntity="Owner"/>
        <uniquenessConstraints><uniquenessConstraint><constraint value="id"/></uniquenessConstraint></uniquenessConstraints>
        </entity><entity name="Leaf" parentEntity="Base" elementID="OldLeaf" versionHashModifier="2">
        <attribute name="name" attributeType="String" defaultValueString="x" regularExpressionString="[a-z]*"/>
        <attribute name="born" optional="YES" attributeType="Date" defaultDateTimeInterval="100"/>
        <attribute name="price" optional="YES" attributeType="Decimal" defaultValueString="1.5"/>
        <attribute name="plain" optional="YES" attributeType="String" derived="YES" derivationExpression="canonical:(name)"/>
        <attribute name="home" optional="YES" attributeType="Composite" composite="Address"/>
        <fetchedProperty name="peers" optional="YES"><fetchRequest name="fetchedPropertyFetchRequest" entity="Leaf" \
        predicateString="name == $FETCH_SOURCE.name"/></fetchedProperty>
        <fetchIndex name="byName"><fetchIndexElement property="name" type="Binary" order="ascending"/></fetchIndex>
        </entity><entity name="Owner"><userInfo><entry key="k" value="v &lt;"/></userInfo>
        <relationship name="things" optional="YES" toMany="YES" ordered="YES" deletionRule="Cascade" \
        destinationEntity="Base" inverseName="owner" inverseEntity="Base"/></entity>
        <composite name="Address"><attribute name="city" optional="YES" attributeType="String"/></composite>
        <configuration name="Local"><memberEntity name="Leaf"/></configuration>
        <fetchRequest name="Named" entity="Leaf" predicateString="name == $NAME"/></model>
        """

    /// A sample model with default values of many types.
    static let sampleModel: Model = {
        let values: [(AttributeType, ModelValue)] = [
            (.integer64, .integer(-1)), (.double, .double(0.5)), (.boolean, .bool(true)), (.date, .date(-86400.5)),
            (.string, "x"), (.uri, .url("https://example.org/a?b")), (.binary, .data(Data([0, 1, 255]))),
            (.decimal, .decimal(Decimal(-12.25))),
            (.uuid, .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6)))),
        ]
        var entity = Entity(name: "E", className: "App.E")
        entity.attributes = values.enumerated().map { number, value in
            var attribute = Attribute(name: "a\(number)", type: value.0)
            attribute.defaultValue = value.1
            return attribute
        }
        entity.attributes[4].validation = [.minimumLength(1), .maximumLength(9), .pattern("[a-z]+")]
        entity.attributes[0].validation = [.predicate("SELF > 1", .text("too small"))]
        entity.relationships = [Relationship(name: "peers", destinationName: "E", inverseName: "peers", isToMany: true)]
        entity.userInfo = ["list": .array([.bool(true), .double(1.5)])]
        entity.uniquenessConstraints = [["a4"]]
        entity.fetchIndexes = [FetchIndex(name: "i", elements: [FetchIndexElement(property: "a0", kind: .rTree)])]
        var model = Model(entities: [entity, Entity(name: "F", parentName: "E")])
        model.versionIdentifiers = ["two"]
        model.configurations = [Configuration(name: "Local", entityNames: ["F"])]
        var template = FetchTemplate(name: "all", entityName: "E", predicate: "a4 == $A")
        template.fetchLimit = 3
        template.propertiesToFetch = ["a4"]
        model.fetchTemplates = [template]
        return model
    }()
}

/// A parser that returns the same predicate, with every kind of expression, for any text.
struct AnyText: PredicateTextParser {
    func predicate(_ text: String) throws -> ArchivedPredicate { Self.everything }
    func expression(_ text: String) throws -> ArchivedExpression { Self.parts }

    private static let everything = ArchivedPredicate.and([
        .not(.comparison(ArchivedComparison(parts, .in, .variable("A"), modifier: .any, options: 3))),
        .comparison(ArchivedComparison(.keyPath("a.b"), .customSelector, .constant(nil), selector: "is:")),
    ])
    static let parts = ArchivedExpression.aggregate([
        .constant(.integer(1)), .constant("x"), .evaluatedObject, .keyPath("a.b", of: .variable("v")),
        .function("sum:", target: nil, arguments: [.keyPath("a")]),
        .subquery(
            .keyPath("a"), variable: "x",
            .or([.comparison(ArchivedComparison(.variable("x"), .lessThan, .constant(.double(2))))])),
        .set(.union, .keyPath("a"), .keyPath("b")),
        .conditional(
            .comparison(ArchivedComparison(.keyPath("a"), .equal, .constant(.bool(true)))), .keyPath("b"), .keyPath("c")
        ),
    ])
}
