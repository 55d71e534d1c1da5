import ModelFormat
import StoreTools
import Testing

/// Models that no store can have.
@Suite struct SchemaOfUnusableModelsTests {
    private static func message(_ entities: [Entity], composites: [CompositeType] = []) -> String? {
        var model = Model(entities: entities)
        model.composites = composites
        let error = #expect(throws: StoreToolError.self) { try StoreSchema(model) }
        #expect(error?.code == .otherModel)
        return error?.message
    }

    @Test func namesAndReferencesAreChecked() {
        #expect(Self.message([Entity(name: "A"), Entity(name: "A")])?.contains("two entities are named A") == true)
        #expect(Self.message([Entity(name: "A", parentName: "B")])?.contains("entity A: the parent entity B") == true)
        #expect(Self.message([Entity(name: "A; DROP")])?.contains("cannot be used") == true)
        #expect(Self.message([Entity(name: "_metadata")])?.contains("every store") == true)
        var twice = Entity(name: "A")
        twice.attributes = [Attribute(name: "x", type: .string)]
        twice.relationships = [Relationship(name: "x", destinationName: "A")]
        #expect(Self.message([twice])?.contains("two properties are named x") == true)
        var dangling = Entity(name: "A")
        dangling.relationships = [Relationship(name: "x", destinationName: "B")]
        #expect(Self.message([dangling])?.contains("destination B") == true)
        dangling.relationships = [Relationship(name: "x", destinationName: "A", inverseName: "y")]
        #expect(Self.message([dangling])?.contains("inverse A.y") == true)
    }

    @Test func inheritanceMustEnd() {
        let cycle = [Entity(name: "A", parentName: "B"), Entity(name: "B", parentName: "A"), Entity(name: "C")]
        #expect(Self.message(cycle)?.contains("inherits from itself") == true)
        var chain = [Entity(name: "E0")]
        for number in 1..<5000 { chain.append(Entity(name: "E\(number)", parentName: "E\(number - 1)")) }
        #expect(Self.message(chain)?.contains("too deep") == true)
    }

    @Test func compositesMustEnd() {
        var entity = Entity(name: "A")
        var whole = Attribute(name: "x", type: .composite)
        whole.compositeName = "T"
        entity.attributes = [whole]
        var element = Attribute(name: "y", type: .composite)
        element.compositeName = "T"
        var other = element
        other.name = "z"
        let type = CompositeType(name: "T", attributes: [element, other])
        #expect(Self.message([entity], composites: [type])?.contains("nested too deeply") == true)
    }

    @Test func aModelWithoutEntitiesHasNoTables() throws {
        let schema = try StoreSchema(Model())
        #expect(schema.tables.isEmpty && schema.joins.isEmpty && schema.indexes.isEmpty)
    }
}
