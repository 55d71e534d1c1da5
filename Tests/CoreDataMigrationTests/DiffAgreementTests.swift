import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import ModelCompiler
import ModelFormat
import Testing

@testable import CoreData

/// `modelc diff` says what the framework does.
struct DiffAgreementTests {
    /// What the tool says of two models, and what the framework refuses.
    private func verdicts(_ old: Model, _ new: Model) throws -> (tool: [ModelChange], reasons: [String]) {
        let changes = try ModelCompiler.ModelComparison(old: old, new: new).changes
        do {
            _ = try NSMappingModel.inferredMappingModel(
                forSourceModel: NSManagedObjectModel(values: old), destinationModel: NSManagedObjectModel(values: new))
            return (changes, [])
        } catch let error as NSError {
            #expect(error.code == NSInferredMappingModelError)
            return (changes, error.userInfo["reasons"] as? [String] ?? [])
        }
    }

    private static let count = LongForm.choose(100, long: 400)

    @Test(.slow, arguments: 0..<count)
    func randomPairsOfModels(_ seed: Int) throws {
        var random = RandomValues(seed: seed)
        let old = random.model()
        let new = random.chance(70) ? random.changed(old) : random.model()
        let (changes, refusals) = try verdicts(old, new)
        let needed = changes.filter { $0.effect == .needsMapping }
        // What an inferred mapping fails on where a store lacks values needs one as well.
        let hazards = ModelCorrespondence(source: old, destination: new).hazards()
        let reasons =
            refusals + hazards.filter { $0.kind == .missingValue || $0.kind == .missingObject }.map(\.reason)
        for hazard in hazards where hazard.kind == .destination || hazard.kind == .place {
            #expect(
                changes.contains {
                    $0.effect == .losesData && $0.entity == hazard.entity && $0.property == hazard.property
                        && $0.reason.contains("134110")
                }, "seed \(seed): \(hazard)")
        }
        let story = Comment(rawValue: "seed \(seed): \(reasons), \(needed)")
        #expect(needed.isEmpty == reasons.isEmpty, story)
        #expect(needed.count == reasons.count, story)
        #expect(
            (try ModelCompiler.ModelComparison(old: old, new: new).effect == .needsMapping) == !reasons.isEmpty, story)
        // Each is named by its entity and property.
        for change in needed {
            guard let entity = change.entity, let property = change.property else { continue }
            #expect(reasons.contains { $0.contains("\(entity).\(property)") }, story)
        }
    }

    /// The random pairs are worth comparing: many of either verdict.
    @Test func bothVerdictsOccur() throws {
        let refused = try (0..<Self.count).filter { seed in
            var random = RandomValues(seed: seed)
            let old = random.model()
            let new = random.chance(70) ? random.changed(old) : random.model()
            return try ModelCompiler.ModelComparison(old: old, new: new).effect == .needsMapping
        }
        #expect((Self.count / 4...Self.count * 3 / 4).contains(refused.count), "\(refused.count) of \(Self.count)")
    }

    /// Both sides keep the identifier of a version before them.
    @Test func renamingIdentifiersOnBothSides() throws {
        var old = Entity(name: "Song"), new = Entity(name: "Track")
        old.renamingIdentifier = "Track"
        new.renamingIdentifier = "Track"
        var text = Attribute(name: "title", type: .string, isOptional: true)
        text.renamingIdentifier = "label"
        old.attributes = [text]
        text.name = "label"
        new.attributes = [text]
        let (changes, reasons) = try verdicts(Model(entities: [old]), Model(entities: [new]))
        #expect(reasons.isEmpty)
        #expect(changes.map(\.effect) == [.lightweight, .lightweight])
        #expect(changes.map(\.change) == ["renamed entity Song to Track", "renamed from title"])
    }

    /// A mapping is inferred; where objects are related that do not fit, the migration fails. What is gone leaves an empty
    /// relationship.
    @Test(arguments: [("Van", true), ("Person", true), ("Car", false), ("Vehicle", false)])
    func destinationsThatChange(_ destination: String, _ mayFail: Bool) throws {
        func model(_ destination: String, without gone: String? = nil) -> Model {
            var person = Entity(name: "Person"), car = Entity(name: "Car"), van = Entity(name: "Van")
            car.parentName = gone == "Vehicle" ? nil : "Vehicle"
            van.parentName = "Vehicle"
            person.relationships = [Relationship(name: "drives", destinationName: destination)]
            person.relationships[0].isOptional = true
            return Model(entities: [person, Entity(name: "Vehicle"), car, van])
        }
        let (changes, reasons) = try verdicts(model("Car"), model(destination))
        #expect(reasons.isEmpty)
        #expect(changes.contains { $0.effect == .losesData && $0.reason.contains("134110") } == mayFail)
        // With the whole family gone the relationship starts empty.
        var gone = model("Person")
        gone.entities.removeAll { $0.name != "Person" }
        let (losses, none) = try verdicts(model("Car"), gone)
        #expect(none.isEmpty)
        #expect(losses.contains { $0.property == "drives" && $0.effect == .losesData })
    }
}

/// Random models as values, with names and identifiers from small pools, so that much corresponds to much.
private struct RandomValues {
    private var generator: SeededGenerator

    init(seed: Int) { generator = .init(state: UInt64(seed) &* 104_729 &+ 5) }

    private mutating func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }
    mutating func chance(_ percent: Int) -> Bool { number(100) < percent }

    mutating func model() -> Model {
        var model = Model()
        for index in 0..<(2 + number(4)) {
            var entity = Entity(name: "E\(index)")
            // Inheritance without circles.
            if index > 0, chance(40) { entity.parentName = "E\(number(index))" }
            entity.isAbstract = chance(15)
            if chance(20) { entity.renamingIdentifier = "E\(number(6))" }
            model.entities.append(entity)
        }
        for index in model.entities.indices {
            var free = (0..<6).map { "p\($0)" }.filter { name in !isTaken(name, model.entities[index].name, model) }
            for _ in 0..<number(4) where !free.isEmpty {
                let name = free.remove(at: number(free.count))
                if chance(65) {
                    model.entities[index].attributes.append(attribute(name))
                } else {
                    model.entities[index].relationships.append(relationship(name, model))
                }
            }
        }
        return model
    }

    /// Whether a relative by inheritance declares a property of that name.
    private func isTaken(_ name: String, _ entity: String, _ model: Model) -> Bool {
        let index = ModelIndex(model)
        return model.entities.contains { other in
            (index.lineage(entity).contains { $0.name == other.name }
                || index.lineage(other.name).contains { $0.name == entity })
                && ModelProperty.own(other).contains { $0.name == name }
        }
    }

    private mutating func attribute(_ name: String, depth: Int = 0) -> Attribute {
        let types: [AttributeType] = [
            .integer16, .integer32, .integer64, .boolean, .double, .float, .decimal, .string, .composite,
        ]
        var attribute = Attribute(name: name, type: types[number(depth == 0 ? 9 : 8)], isOptional: chance(60))
        attribute.isTransient = depth == 0 && chance(10)
        if attribute.type == .composite {
            attribute.elements = (0..<(1 + number(3))).map { self.attribute("e\($0)", depth: 1) }
        } else if chance(50) {
            attribute.defaultValue =
                switch attribute.type {
                case .string: .string("x")
                case .boolean: .bool(true)
                case .double, .float: .double(1)
                case .decimal: .decimal(1)
                default: .integer(1)
                }
        }
        if chance(20) { attribute.renamingIdentifier = depth == 0 ? "p\(number(6))" : "e\(number(3))" }
        return attribute
    }

    private mutating func relationship(_ name: String, _ model: Model) -> Relationship {
        var relationship = Relationship(
            name: name, destinationName: "E\(number(model.entities.count))", isToMany: chance(50))
        relationship.isOptional = true
        relationship.isTransient = chance(10)
        if chance(20) { relationship.renamingIdentifier = "p\(number(6))" }
        return relationship
    }

    /// Another version, with a few changes.
    mutating func changed(_ model: Model) -> Model {
        var model = model
        for _ in 0..<(1 + number(3)) {
            let index = number(model.entities.count)
            switch number(5) {
            case 0:
                for place in model.entities[index].attributes.indices {
                    let name = model.entities[index].attributes[place].name
                    model.entities[index].attributes[place] = attribute(name)
                }
            case 1:
                for place in model.entities[index].relationships.indices {
                    let name = model.entities[index].relationships[place].name
                    model.entities[index].relationships[place] = relationship(name, model)
                }
            case 2: model.entities[index].isAbstract.toggle()
            case 3:
                let name = "p6"
                if !isTaken(name, model.entities[index].name, model) {
                    model.entities[index].attributes.append(attribute(name))
                }
            default:
                model.entities[index].attributes.removeAll()
                model.entities[index].relationships.removeAll()
            }
        }
        return model
    }
}
