import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Codes and reasons of automatic migrations that cannot be inferred are those of Apple's framework, as public logs quote them:
/// programs compare the sentences.
@Suite("Codes of failed automatic migrations")
struct InferenceCodeTests {
    private static func model(_ attributes: [NSAttributeDescription]) -> NSManagedObjectModel {
        let user = LibraryModel.entity("User")
        user.properties = attributes
        let model = NSManagedObjectModel()
        model.entities = [user]
        return model
    }

    private static var name: NSAttributeDescription { LibraryModel.attribute("name", .stringAttributeType) }

    private func failure(_ attributes: [NSAttributeDescription]) throws -> NSError {
        let store = try MigrationStore()
        try store.open(Self.model([Self.name])) { context in
            context.insert("User").setValue("ann", forKey: "name")
            context.insert("User")
            try context.save()
        }
        let error = #expect(throws: NSError.self) { try store.migrate(to: Self.model(attributes)) }
        // The store is what it was.
        try store.open(Self.model([Self.name])) { context in
            let users = try context.fetchAll("User")
            #expect(users.count == 2)
        }
        return try #require(error)
    }

    @Test(arguments: ["age", "name"])
    func missingValuesNameTheAttribute(_ attribute: String) throws {
        let required = LibraryModel.attribute(attribute, .stringAttributeType, optional: false)
        let error = try failure(attribute == "name" ? [required] : [Self.name, required])
        #expect(error.domain == NSCocoaErrorDomain)
        #expect(error.code == NSMigrationError)
        #expect(
            error.userInfo["reason"] as? String
                == "Cannot migrate store in-place: Validation error missing attribute values on mandatory destination attribute"
        )
        let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError
        for info in [error.userInfo, cause?.userInfo ?? [:]] {
            #expect(info["entity"] as? String == "User")
            #expect(info["attribute"] as? String == attribute)
        }
        #expect(error.localizedDescription.contains("User.\(attribute)"))
        let objects = error.userInfo[NSAffectedObjectsErrorKey] as? [URL]
        #expect(objects?.map(\.path) == (attribute == "name" ? ["/User/p2"] : ["/User/p1", "/User/p2"]))
    }

    /// The check is of the data: Apple's framework infers the mapping, and fails on rows without a value.
    @Test(arguments: ["age", "name"])
    func storesWithoutSuchRowsMigrate(_ attribute: String) throws {
        let store = try MigrationStore()
        try store.open(Self.model([Self.name])) { context in
            guard attribute == "name" else { return }
            context.insert("User").setValue("ann", forKey: "name")
        }
        let required = LibraryModel.attribute(attribute, .stringAttributeType, optional: false)
        let new = Self.model(attribute == "name" ? [required] : [Self.name, required])
        try store.migrate(to: new)
        try store.open(new) { context in
            let users = try context.fetchAll("User")
            #expect(users.map { $0.value(forKey: "name") as? String } == (attribute == "name" ? ["ann"] : []))
        }
    }

    /// Elements of composite attributes are values too; an optional composite attribute that is nil has none to miss.
    @Test func elementsOfCompositeAttributes() throws {
        func model(_ isRequired: Bool) -> NSManagedObjectModel {
            let place = NSCompositeAttributeDescription()
            place.name = "place"
            place.isOptional = true
            place.elements = [
                LibraryModel.attribute("city", .stringAttributeType),
                LibraryModel.attribute("street", .stringAttributeType, optional: !isRequired),
            ]
            return Self.model([Self.name, place])
        }
        for isMissing in [false, true] {
            let store = try MigrationStore()
            try store.open(model(false)) { context in
                context.insert("User")
                context.insert("User").setValue(
                    isMissing ? ["city": "Bern"] : ["city": "Bern", "street": "Main"], forKey: "place")
            }
            guard isMissing else {
                try store.migrate(to: model(true))
                continue
            }
            let error = #expect(throws: NSError.self) { try store.migrate(to: model(true)) }
            #expect(error?.code == NSMigrationError)
            #expect(error?.userInfo["attribute"] as? String == "place.street")
            #expect((error?.userInfo[NSAffectedObjectsErrorKey] as? [URL])?.map(\.path) == ["/User/p2"])
        }
    }

    /// A required composite attribute that is new, or that objects have as nil, would leave objects that cannot be saved.
    @Test(arguments: [true, false], [nil, "Bern"])
    func requiredCompositeAttributes(_ isNew: Bool, _ city: String?) throws {
        func model(_ isOptional: Bool, city: String? = nil) -> NSManagedObjectModel {
            let place = NSCompositeAttributeDescription()
            place.name = "place"
            place.isOptional = isOptional
            let element = LibraryModel.attribute("city", .stringAttributeType)
            element.defaultValue = city
            place.elements = [element, LibraryModel.attribute("street", .stringAttributeType)]
            // Version hashes do not see whether a composite attribute is optional.
            let name = Self.name
            name.versionHashModifier = isOptional ? nil : "required"
            return Self.model([name, place])
        }
        let store = try MigrationStore()
        let old = isNew ? Self.model([Self.name]) : model(true)
        try store.open(old) { context in
            let user = context.insert("User")
            if !isNew, let city { user.setValue(["city": city], forKey: "place") }
        }
        // A default value of an element is one for all objects.
        let new = model(false, city: isNew ? city : nil)
        guard city == nil else {
            try store.migrate(to: new)
            return try store.open(new) { context in
                let user = try context.fetchAll("User")[0]
                check((user.value(forKey: "place") as? [String: Any])?["city"] as? String, city)
                user.setValue("new", forKey: "name")
                try context.save()
            }
        }
        let error = #expect(throws: NSError.self) { try store.migrate(to: new) }
        #expect(error?.code == NSMigrationError)
        #expect(error?.userInfo["attribute"] as? String == "place")
    }

    @Test func anythingElseLacksAMappingModel() throws {
        let error = try failure([LibraryModel.attribute("name", .dateAttributeType)])
        #expect(error.code == NSMigrationMissingMappingModelError)
        #expect(error.localizedFailureReason == "Persistent store migration failed, missing mapping model.")
        #expect(error.userInfo["reasons"] as? [String] == ["User.name changed its type from String to Date"])
        let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError
        #expect(cause?.code == NSInferredMappingModelError)
    }
}
