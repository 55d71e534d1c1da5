import CoreData
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
            context.insert("User")
            try context.save()
        }
        let error = #expect(throws: NSError.self) { try store.migrate(to: Self.model(attributes)) }
        // The store is what it was.
        try store.open(Self.model([Self.name])) { context in
            let users = try context.fetchAll("User")
            #expect(users.count == 1)
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
