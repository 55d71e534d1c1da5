import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Accessors that are declared as never nil, over optional attributes without a default.
final class Vacant: NSManagedObject {
    var date: Date { managedValue(ManagedProperty("date")) }
    var data: Data { managedValue(ManagedProperty("data")) }
    var uuid: UUID { managedValue(ManagedProperty("uuid")) }
    var url: URL { managedValue(ManagedProperty("url")) }
    var text: String { managedValue(ManagedProperty("text")) }
    var number: Int64 { managedValue(ManagedProperty("number")) }
    var owner: Vacant { managedValue(ManagedProperty("owner")) }
    var optionalDate: Date? { managedValue(ManagedProperty("date")) }
}

/// Nil read as a type that has no nil. On Apple's platforms Foundation gives the empty value where there is one, "" and 0, and stops
/// the program where there is none, by a message about its own source. Here the message says which property of which entity.
@Suite("Nil in properties declared as never nil")
struct NilAccessorTests {
    private static func vacant() throws -> (Vacant, NSManagedObjectContext) {
        let entity = LibraryModel.entity("Room")
        entity.managedObjectClassName = "CoreDataTests.Vacant"
        entity.properties = [
            LibraryModel.attribute("date", .dateAttributeType),
            LibraryModel.attribute("data", .binaryDataAttributeType),
            LibraryModel.attribute("uuid", .UUIDAttributeType), LibraryModel.attribute("url", .URIAttributeType),
            LibraryModel.attribute("text", .stringAttributeType),
            LibraryModel.attribute("number", .integer64AttributeType),
        ]
        for attribute in entity.properties { attribute.isOptional = true }
        LibraryModel.relate(entity, "rooms", many: true, entity, "owner", many: false)
        let model = NSManagedObjectModel()
        model.entities = [entity]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let object = Vacant(entity: entity, insertInto: context)
        for key in ["date", "data", "uuid", "url", "text", "number"] { object.setValue(nil, forKey: key) }
        return (object, context)
    }

    enum Access: String, Codable, CaseIterable {
        case date, data, uuid, url, owner

        func run(_ object: Vacant) {
            switch self {
            case .date: print(object.date)
            case .data: print(object.data)
            case .uuid: print(object.uuid)
            case .url: print(object.url)
            case .owner: print(object.owner)
            }
        }
    }

    @Test("stops the program with the entity, the property and what to do", arguments: Access.allCases)
    func stop(_ access: Access) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [access] in
            let (object, context) = try Self.vacant()
            withExtendedLifetime(context) { access.run(object) }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("\"\(access.rawValue)\" of Room is nil"), "\(text)")
        #expect(text.contains("Declare the property optional, or "), "\(text)")
        if access != .owner { #expect(text.contains("give the attribute a default value"), "\(text)") }
    }

    @MainActor @Test("gives the empty value where the type has one, and nil where it is declared optional")
    func empty() throws {
        let (object, context) = try Self.vacant()
        withExtendedLifetime(context) {
            #expect(object.text == "" && object.number == 0)
            #expect(object.optionalDate == nil)
        }
    }
}
