import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Has the bodies that the build plugin generates for `@NSManaged` enumerations.
final class Ticket: NSManagedObject {
    enum Kind: Int16 { case low = 5, high }
    enum Mood: String { case calm, wild }
    enum Level: Int, CaseIterable { case third = 3, fourth }

    /// The model's default is `high`.
    var kind: Kind {
        get { managedRawValue(ManagedProperty("kind"), or: .low) }
        set { setManagedRawValue(newValue, for: ManagedProperty("kind")) }
    }
    var plainKind: Kind {
        get { managedRawValue(ManagedProperty("plainKind"), or: .low) }
        set { setManagedRawValue(newValue, for: ManagedProperty("plainKind")) }
    }
    var mood: Mood { managedRawValue(ManagedProperty("mood"), or: .calm) }
    var possibleMood: Mood? { managedRawValue(ManagedProperty("mood")) }
    /// Written by hand, without the first case.
    var level: Level { managedRawValue(ManagedProperty("level")) }
}

/// A newer version of the program, or another program, may have stored a value that the enumeration does not have.
@Suite("Accessors of enumerations")
struct RawValueAccessorTests {
    private let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)

    init() throws {
        let entity = LibraryModel.entity("Ticket")
        entity.managedObjectClassName = "CoreDataTests.Ticket"
        let kind = LibraryModel.attribute("kind", .integer16AttributeType)
        kind.defaultValue = Ticket.Kind.high.rawValue
        entity.properties = [
            kind, LibraryModel.attribute("plainKind", .integer16AttributeType),
            LibraryModel.attribute("mood", .stringAttributeType),
            LibraryModel.attribute("level", .integer64AttributeType),
        ]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        context.persistentStoreCoordinator = coordinator
    }

    private func withTicket(_ body: (Ticket) throws -> Void) throws {
        try context.performAndWait {
            let entity = try #require(context.persistentStoreCoordinator?.managedObjectModel.entitiesByName["Ticket"])
            try body(Ticket(entity: entity, insertInto: context))
        }
    }

    @Test("read unknown values as the model's default, else as the first case, and leave them in the store")
    func unknownValues() throws {
        try withTicket { ticket in
            for key in ["kind", "plainKind", "level"] { ticket.setValue(99, forKey: key) }
            ticket.setValue("furious", forKey: "mood")
            try context.save()
            context.refresh(ticket, mergeChanges: false)
            for _ in 1...2 {
                #expect(ticket.kind == .high && ticket.plainKind == .low && ticket.level == .third)
                #expect(ticket.mood == .calm && ticket.possibleMood == nil)
            }
            #expect(!ticket.hasChanges && ticket.value(forKey: "kind") as? Int == 99)
            #expect(ticket.value(forKey: "mood") as? String == "furious")
            ticket.kind = .low
            #expect(ticket.kind == .low && ticket.value(forKey: "kind") as? Int == 5)
        }
    }

    /// As on Apple's platforms, no number reads as 0, which is no case here.
    @Test("read nil as the model's default, else as the first case")
    func missingValues() throws {
        try withTicket { ticket in
            #expect(ticket.kind == .high && ticket.plainKind == .low && ticket.mood == .calm && ticket.level == .third)
            ticket.setValue(nil, forKey: "kind")
            #expect(ticket.kind == .high && ticket.possibleMood == nil)
        }
    }
}
