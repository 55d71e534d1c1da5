import MagicalRecord

/// Entities of the shape of those the original was tested with, with classes of their own where its tests go by class.
enum OriginalModel {
    static func model() -> NSManagedObjectModel {
        let single = Build.entity("SingleEntity", class: SingleEntity.self)
        single.properties = [
            Build.attribute("booleanTestAttribute", .booleanAttributeType),
            Build.attribute("stringTestAttribute", .stringAttributeType),
            Build.attribute(
                "colorTestAttribute", .transformableAttributeType, info: ["attributeValueClassName": "*Color"]),
        ]
        let mapped = Build.entity("MappedEntity", class: MappedEntity.self)
        // There is no such attribute, in the original neither.
        mapped.userInfo = ["relatedByAttribute": "mapped"]
        mapped.properties = [
            Build.attribute("mappedEntityID", .integer16AttributeType, default: 0),
            Build.attribute(
                "nestedAttribute", .stringAttributeType, info: ["mappedKeyName": "attributeValue.nestedValue"]),
            Build.attribute("sampleAttribute", .stringAttributeType),
            Build.attribute("testMappedEntityID", .integer64AttributeType, default: 0, info: ["mappedKeyName": "id"]),
        ]
        let base = Build.entity("AbstractRelatedEntity")
        base.isAbstract = true
        base.properties = [Build.attribute("sampleBaseAttribute", .stringAttributeType)]
        let concrete = Build.entity("ConcreteRelatedEntity")
        concrete.properties = [Build.attribute("sampleConcreteAttribute", .stringAttributeType)]
        base.subentities = [concrete]
        let related = Build.entity("SingleRelatedEntity", class: SingleRelatedEntity.self)
        related.properties = [Build.attribute("mappedStringAttribute", .stringAttributeType)]
        for (destination, name, key) in [
            (base, "Abstract", "sampleBaseAttribute"), (concrete, "Concrete", "sampleConcreteAttribute"),
        ] {
            for many in [false, true] {
                Build.relationship(
                    "test\(name)To\(many ? "Many" : "One")Relationship", of: related, to: destination, many: many,
                    rule: .cascadeDeleteRule, info: ["relatedByAttribute": key])
            }
        }
        let defaults = Build.entity("UsingDefaults", class: UsingDefaults.self)
        defaults.properties = [Build.attribute("usingDefaultsID", .integer16AttributeType, default: 0)]
        // Without userInfo, as in the original: the related object is found by `mappedEntityID`.
        Build.relationship("mappedEntity", of: defaults, to: mapped, rule: .cascadeDeleteRule)
        let key = Build.entity("UsingMappedPrimaryKey", class: UsingMappedPrimaryKey.self)
        Build.relationship(
            "mappedEntity", of: key, to: mapped, rule: .cascadeDeleteRule,
            info: ["mappedKeyName": "someRandomAttributeName", "relatedByAttribute": "testMappedEntityID"])
        let nested = Build.entity("WithNestedMappedAttributes", class: WithNestedMappedAttributes.self)
        Build.relationship("mappedEntity", of: nested, to: mapped, rule: .cascadeDeleteRule)
        let secondary = Build.entity("WithSecondaryMappings", class: WithSecondaryMappings.self)
        secondary.properties = [
            Build.attribute("notImportedAttribute", .booleanAttributeType, default: true, optional: false),
            Build.attribute(
                "secondaryMappedAttribute", .stringAttributeType,
                info: [
                    "mappedKeyName": "no_in_use", "mappedKeyName.1": "getting_warmer",
                    "mappedKeyName.2": "actualMappedKey",
                ]),
        ]
        Build.relationship(
            "mappedRelationship", of: secondary, to: mapped, rule: .cascadeDeleteRule,
            info: [
                "mappedKeyName": "not_in_use", "mappedKeyName.1": "almost_there",
                "mappedKeyName.2": "actualRelatedObject",
            ])
        let many = Build.entity("ManyUsingMappedPrimaryKey", class: ManyUsingMappedPrimaryKey.self)
        many.userInfo = ["relatedByAttribute": "testPrimaryKey"]
        many.properties = [Build.attribute("testPrimaryKey", .integer16AttributeType, default: 0)]
        Build.relationship(
            "mappedEntities", of: many, to: mapped, many: true, rule: .cascadeDeleteRule,
            info: ["relatedByAttribute": "testMappedEntityID"])
        let different = Build.entity("EntityWithDifferentClassName", class: DifferentClassNameMapping.self)
        let suffixed = Build.entity("EntityWithASuffix", class: EntityWithoutEntityNameMethod.self)
        return Build.model(
            single, mapped, base, concrete, related, defaults, key, nested, secondary, many, different, suffixed)
    }
}

final class SingleEntity: NSManagedObject {}
final class MappedEntity: NSManagedObject {}
final class SingleRelatedEntity: NSManagedObject {}
final class UsingDefaults: NSManagedObject {}
final class UsingMappedPrimaryKey: NSManagedObject {}
final class WithNestedMappedAttributes: NSManagedObject {}
final class WithSecondaryMappings: NSManagedObject {}
final class ManyUsingMappedPrimaryKey: NSManagedObject {}
final class EntityWithoutEntityNameMethod: NSManagedObject {}
final class DifferentClassNameMapping: NSManagedObject, MagicalRecord_MOGenerator {
    static func entityName() -> String { "EntityWithDifferentClassName" }
}

/// What a test hands out of a closure that may run elsewhere.
final class Box<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var stored: Value?

    var value: Value? {
        get { lock.withLock { stored } }
        set { lock.withLock { stored = newValue } }
    }
}

extension DefaultStackTests {
    /// What the original's tests did before each: a stack in memory over the test's model.
    func setUpAsTheOriginal() {
        NSManagedObjectModel.mr_setDefaultManagedObjectModel(OriginalModel.model())
        MagicalRecord.setupCoreDataStackWithInMemoryStore()
    }

    /// Runs `body` on the default context's queue.
    func inDefault<Result>(_ body: (NSManagedObjectContext) throws -> Result) rethrows -> Result {
        let context = NSManagedObjectContext.mr_default()
        return try context.runAndWait { try body(context) }
    }

    /// Whether the root context finds a clean object with that ID.
    func rootHasClean(_ id: NSManagedObjectID?) throws -> Bool {
        guard let id else { return false }
        let root = NSManagedObjectContext.mr_rootSaving()
        return try root.runAndWait { try !root.existingObject(with: id).hasChanges }
    }

    func rootValue(_ id: NSManagedObjectID?) throws -> Bool? {
        guard let id else { return nil }
        let root = NSManagedObjectContext.mr_rootSaving()
        return try root.runAndWait {
            try root.existingObject(with: id).value(forKey: "booleanTestAttribute") as? Bool
        }
    }
}
