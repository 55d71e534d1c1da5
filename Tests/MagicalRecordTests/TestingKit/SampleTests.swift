import MagicalRecord
import MagicalRecordTesting
import Testing

final class SampleThing: NSManagedObject {}
final class SampleOrder: NSManagedObject {}
final class SampleEgg: NSManagedObject {}

/// Samples: objects of any entity that the model's rules allow, with what they require.
@Suite struct SampleTests {
    private static func rule(_ attribute: NSAttributeDescription, _ formats: String...) -> NSAttributeDescription {
        attribute.setValidationPredicates(
            formats.map { NSPredicate(format: $0) }, withValidationWarnings: formats.map { _ in "broken" })
        return attribute
    }

    private static func required(_ name: String, _ type: NSAttributeType, _ rules: String...) -> NSAttributeDescription
    {
        let attribute = Build.attribute(name, type, optional: false)
        attribute.setValidationPredicates(
            rules.map { NSPredicate(format: $0) }, withValidationWarnings: rules.map { _ in "broken" })
        return attribute
    }

    private static func model(_ attributes: [NSAttributeDescription], unique: [[Any]] = []) -> MagicalRecord.ModelSource
    {
        let entity = Build.entity("Thing", class: SampleThing.self)
        entity.properties = attributes
        entity.uniquenessConstraints = unique
        return .model(Build.model(entity))
    }

    /// Things of a model with these attributes, saved; their values.
    private func values(
        _ attributes: [NSAttributeDescription], unique: [[Any]] = [], count: Int = 1
    ) async throws -> [[String: String]] {
        let names = attributes.map(\.name)
        return try await withTestStack(Self.model(attributes, unique: unique), shape: .server) { stack in
            try await stack.save { context in
                try (0..<count).map { _ in
                    let thing = try SampleThing.sample(in: context)
                    let pairs = names.map { ($0, thing.value(forKey: $0).map { "\($0)" } ?? "null") }
                    return Dictionary(uniqueKeysWithValues: pairs)
                }
            }
        }
    }

    @Test func everyTypeOfAttributeIsFilledIn() async throws {
        let types: [NSAttributeType] = [
            .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .doubleAttributeType,
            .floatAttributeType, .decimalAttributeType, .booleanAttributeType, .stringAttributeType, .dateAttributeType,
            .binaryDataAttributeType, .UUIDAttributeType, .URIAttributeType,
        ]
        let attributes = types.enumerated().map { Self.required("a\($0.offset)", $0.element) }
        let values = try #require(try await values(attributes).first)
        #expect(values.count == types.count && !values.values.contains { $0.contains("null") })
    }

    @Test func optionalAttributesAndDefaultsStay() async throws {
        let attributes = [
            Build.attribute("note", .stringAttributeType),
            Build.attribute("count", .integer16AttributeType, default: 42, optional: false),
        ]
        try await withTestStack(Self.model(attributes), shape: .server) { stack in
            try await stack.save { context in
                let thing = try SampleThing.sample(in: context)
                #expect(thing.value(forKey: "note") == nil)
                #expect(thing.value(forKey: "count") as? Int == 42)
            }
        }
    }

    @Test func rangesLengthsAndListsAreKept() async throws {
        let values = try await values([
            Self.required("age", .integer16AttributeType, "SELF >= 18", "SELF < 19"),
            Self.required("below", .integer32AttributeType, "SELF < -5"),
            Self.required("share", .doubleAttributeType, "SELF > 0 AND SELF < 0.25"),
            Self.required("word", .stringAttributeType, "length >= 30", "length < 32"),
            Self.required("letter", .stringAttributeType, "length == 1 OR length < 2"),
            Self.required("size", .stringAttributeType, "SELF IN {'S', 'M', 'L'}"),
            Self.required("hour", .integer16AttributeType, "SELF BETWEEN {9, 17}"),
            Self.required("future", .dateAttributeType, "SELF > CAST(2000000000, 'NSDate')"),
            Self.rule(Build.attribute("grade", .integer16AttributeType, default: 0, optional: false), "SELF >= 1"),
        ])
        let thing = try #require(values.first)
        #expect(thing["age"] == "18")
        #expect((thing["below"].flatMap { Int($0) } ?? 0) < -5)
        #expect((1...3).contains(thing["grade"].flatMap { Int($0) } ?? 0))
        #expect((30...31).contains(thing["word"]?.count ?? 0))
        #expect(["S", "M", "L"].contains(thing["size"]))
        #expect((9...17).contains(thing["hour"].flatMap { Int($0) } ?? 0))
    }

    @Test func uniqueAttributesDiffer() async throws {
        let attributes = [
            Self.required("number", .integer16AttributeType),
            Self.required("code", .stringAttributeType, "length <= 6"),
            Build.attribute("zero", .integer32AttributeType, default: 0), Self.required("at", .dateAttributeType),
        ]
        let values = try await values(attributes, unique: [["number"], ["code"], ["zero"], ["at"]], count: 200)
        for attribute in attributes { #expect(Set(values.compactMap { $0[attribute.name] }).count == 200) }
    }

    @Test func whatTheClosureSetsStays() async throws {
        try await withTestStack(.model(AddressBook.model()), shape: .server) { stack in
            try await stack.save { context in
                let team = try Team.sample(in: context) { $0.name = "Red" }
                let other = try Team.sample(in: context)
                #expect(team.name == "Red" && !other.name.isEmpty)
            }
            expect(store: stack, contains: [["Red"]], by: "SELECT ZNAME FROM ZTEAM WHERE ZNAME = 'Red'")
        }
    }

    /// An order requires a customer and two lines; a line requires its order, a customer a customer who referred them.
    @Test func requiredRelationshipsAreFilledIn() async throws {
        let (order, customer, line) = (
            Build.entity("Order", class: SampleOrder.self), Build.entity("Customer"), Build.entity("Line")
        )
        let person = Build.entity("Person")
        person.isAbstract = true
        person.subentities = [customer]
        line.properties = [Self.required("amount", .integer16AttributeType, "SELF >= 1")]
        let lines = Build.relationship("lines", of: order, to: line, many: true, ordered: true)
        lines.isOptional = false
        lines.minCount = 2
        let ofLine = Build.relationship("order", of: line, to: order)
        ofLine.isOptional = false
        Build.inverse(lines, ofLine)
        Build.relationship("buyer", of: order, to: person).isOptional = false
        Build.relationship("referredBy", of: customer, to: customer).isOptional = false
        try await withTestStack(.model(Build.model(order, customer, line, person)), shape: .server) { stack in
            try await stack.save { context in try SampleOrder.sample(in: context) }
            expect(
                store: stack, contains: [[1, 2, 1]],
                by: """
                    SELECT (SELECT count(*) FROM ZORDER WHERE ZBUYER = 1), (SELECT count(*) FROM ZLINE WHERE ZORDER = 1), \
                    (SELECT count(*) FROM ZPERSON WHERE ZREFERREDBY = Z_PK)
                    """)
        }
    }

    @Test func whatCannotBeMadeUpIsAnErrorAndLeavesNothing() async throws {
        let attributes = [Self.required("code", .stringAttributeType, "SELF MATCHES '[A-Z]{3}-[0-9]{4}'")]
        try await withTestStack(Self.model(attributes), shape: .server) { stack in
            try await stack.save { context in
                let error = #expect(throws: MagicalRecordError.self) { try SampleThing.sample(in: context) }
                #expect(
                    error?.description
                        == "No sample value fits SELF MATCHES \"[A-Z]{3}-[0-9]{4}\". (entity Thing, key code) "
                        + "Set it in the closure: sample(in: context) { $0.code = … }.")
                #expect(try SampleThing.count(in: context) == 0)
                try SampleThing.sample(in: context) { $0.setValue("ABC-1234", forKey: "code") }
            }
        }
    }

    @Test func chainsWithoutEndAreErrorsAndLeaveNothing() async throws {
        let (egg, hen) = (Build.entity("Egg", class: SampleEgg.self), Build.entity("Hen"))
        Build.relationship("hen", of: egg, to: hen).isOptional = false
        Build.relationship("egg", of: hen, to: egg).isOptional = false
        try await withTestStack(.model(Build.model(egg, hen)), shape: .server) { stack in
            try await stack.save { context throws in
                #expect { try SampleEgg.sample(in: context) } throws: { MagicalRecordError.Code.noSample ~= $0 }
                #expect(context.insertedObjects.isEmpty)
            }
        }
    }

    @Test func whatTheClosureBreaksIsValidationsError() async throws {
        let attributes = [Self.required("age", .integer16AttributeType, "SELF >= 18")]
        try await withTestStack(Self.model(attributes), shape: .server) { stack in
            try await stack.save { context throws in
                #expect {
                    try SampleThing.sample(in: context) { $0.setValue(3, forKey: "age") }
                } throws: {
                    ($0 as NSError).domain == NSCocoaErrorDomain
                }
                #expect(try SampleThing.count(in: context) == 0)
            }
        }
    }
}
