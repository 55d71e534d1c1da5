import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Which differences a mapping is inferred for, and why not for the others.
struct InferenceTests {
    private static func attribute(_ model: [String: NSEntityDescription], _ entity: String, _ name: String)
        -> NSAttributeDescription
    {
        guard let found = model[entity]?.attributesByName[name] else { fatalError("no \(entity).\(name)") }
        return found
    }

    struct Refusal: CustomTestStringConvertible, Sendable {
        var words: String
        var change: @Sendable ([String: NSEntityDescription], NSManagedObjectModel) -> Void
        var testDescription: String { words }
    }

    static let refusals: [Refusal] = [
        Refusal(words: "Person.age changed its type from Integer 32 to String") { entities, _ in
            attribute(entities, "Person", "age").attributeType = .stringAttributeType
        },
        Refusal(words: "Company.staff was a to-many relationship and is now to-one") { entities, _ in
            entities["Company"]?.relationshipsByName["staff"]?.maxCount = 1
        },
        Refusal(words: "entities under Thing have no common parent in the source") { entities, model in
            let thing = LibraryModel.entity("Thing")
            model.entities += [thing]
            thing.subentities = [entities["Company"], entities["Club"]].compactMap { $0 }
        },
        Refusal(words: "Person.age was an attribute and is now a relationship") { entities, _ in
            guard let person = entities["Person"] else { return }
            let age = NSRelationshipDescription()
            age.name = "age"
            age.maxCount = 1
            age.destinationEntity = entities["Card"]
            person.properties = person.properties.filter { $0.name != "age" } + [age]
        },
        Refusal(words: "the entities A and B claim to be the same entity") { entities, _ in
            for (name, entity) in [("A", "Club"), ("B", "Card")] {
                entities[entity]?.name = name
                entities[entity]?.renamingIdentifier = "Club"
            }
        },
    ]

    @Test(arguments: refusals)
    func refusesWithReason(_ refusal: Refusal) throws {
        let model = Versions.changed { refusal.change($0, $1) }
        do {
            _ = try NSMappingModel.inferredMappingModel(forSourceModel: Versions.first(), destinationModel: model)
            Issue.record("A mapping was inferred.")
        } catch let error as NSError {
            #expect(error.code == NSInferredMappingModelError)
            #expect(
                error.localizedFailureReason?.contains(refusal.words) == true, "\(error.localizedFailureReason ?? "")")
        }
    }

    @Test func everyRefusalIsNamedAtOnce() throws {
        let model = Versions.changed { entities, _ in
            Self.attribute(entities, "Person", "age").attributeType = .stringAttributeType
            entities["Company"]?.relationshipsByName["staff"]?.maxCount = 1
        }
        do {
            _ = try NSMappingModel.inferredMappingModel(forSourceModel: Versions.first(), destinationModel: model)
        } catch let error as NSError {
            #expect((error.userInfo["reasons"] as? [String])?.count == 2)
        }
    }

    @Test func mappingsSayWhatHappens() throws {
        let model = Versions.changed { entities, model in
            entities["Club"]?.name = "Society"
            entities["Club"]?.renamingIdentifier = "Club"
            model.entities = model.entities.filter { $0.name != "Card" } + [LibraryModel.entity("Badge")]
            if let person = entities["Person"] { person.properties = person.properties.filter { $0.name != "card" } }
        }
        let mapping = try NSMappingModel.inferredMappingModel(
            forSourceModel: Versions.first(), destinationModel: model)
        let byName = mapping.entityMappingsByName
        #expect(byName["IEM_Add_Badge"]?.mappingType == .addEntityMappingType)
        #expect(byName["IEM_Remove_Card"]?.mappingType == .removeEntityMappingType)
        #expect(byName["IEM_Transform_Society"]?.sourceEntityName == "Club")
        #expect(
            byName["IEM_Transform_Society"]?.sourceEntityVersionHash
                == Versions.first().entityVersionHashesByName["Club"])
        let title = byName["IEM_Transform_Society"]?.attributeMappings?.first { $0.name == "title" }
        #expect(title?.valueExpression?.description == "$source.title")
        let copy = try NSMappingModel.inferredMappingModel(
            forSourceModel: Versions.first(), destinationModel: Versions.first())
        #expect(copy.entityMappings.allSatisfy { $0.mappingType == .copyEntityMappingType })
    }

    @Test func renamingIdentifiersReachOverVersions() throws {
        let second = Versions.changed { entities, _ in
            entities["Club"]?.name = "Society"
            entities["Club"]?.renamingIdentifier = "Club"
        }
        let third = Versions.changed(from: second) { entities, _ in
            entities["Society"]?.name = "Union"
        }
        // Apple's rule: the identifier is kept, so that either version is a fit source.
        for source in [Versions.first(), second] {
            let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: source, destinationModel: third)
            #expect(
                mapping.entityMappings.contains { $0.destinationEntityName == "Union" && $0.sourceEntityName != nil })
        }
        // Xcode's advice: the identifier is the name in the version before.
        let named = Versions.changed(from: second) { entities, _ in
            entities["Society"]?.name = "Union"
            entities["Society"]?.renamingIdentifier = "Society"
        }
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: second, destinationModel: named)
        #expect(
            mapping.entityMappings.contains { $0.destinationEntityName == "Union" && $0.sourceEntityName == "Society" })
    }

    /// Published programs read these keys of the mappings that Apple infers.
    @Test func mappingsNameWhatStaysComesAndGoes() throws {
        func model(_ entities: [(String, String)]) -> NSManagedObjectModel { makeModel(entities) }
        let old = model([("Person", "name: string?; age: i16?; nick: string?"), ("Gone", "a: i16?")])
        let new = model([("Person", "name: string?; years: i16?; email: string?"), ("Fresh", "b: i16?")])
        new.entitiesByName["Person"]?.attributesByName["years"]?.renamingIdentifier = "age"
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new)
        func names(_ entity: String) -> [[String]] {
            let info = mapping.entityMappings.first { $0.name?.hasSuffix(entity) == true }?.userInfo
            return ["mappedProperties", "addedProperties", "removedProperties"].map { key in
                (info?[key] as? Set<String>)?.sorted() ?? ["?"]
            }
        }
        #expect(names("_Person") == [["name", "years"], ["email"], ["nick"]])
        #expect(names("_Fresh") == [[], ["b"], []])
        #expect(names("_Gone") == [[], [], ["a"]])
    }
}
