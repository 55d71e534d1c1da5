import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// What "not optional" means for relationships, and what stands in the way of a deletion.
///
/// Files that Apple's framework wrote have thousands of empty to-many relationships that are not optional, and none with a
/// minimum of one that is empty.
@Suite("Required relationships")
struct RequiredRelationshipTests {
    /// `Team` ⟷ n `Player`: neither side is optional. Deleting a team is denied while it has players.
    private static func model(minimum: Int = 0, optional: Bool = false, ordered: Bool = false) -> NSManagedObjectModel {
        let team = LibraryModel.entity("Team"), player = LibraryModel.entity("Player")
        team.properties = [LibraryModel.attribute("name", .stringAttributeType)]
        player.properties = [LibraryModel.attribute("name", .stringAttributeType)]
        LibraryModel.relate(
            team, "players", many: true, player, "team", many: false, ordered: ordered, rule: .denyDeleteRule)
        team.relationshipsByName["players"]?.minCount = minimum
        team.relationshipsByName["players"]?.isOptional = optional
        player.relationshipsByName["team"]?.isOptional = false
        let model = NSManagedObjectModel()
        model.entities = [team, player]
        return model
    }

    private func failure(_ context: NSManagedObjectContext) -> NSError? {
        do {
            try context.save()
            return nil
        } catch {
            return error as NSError
        }
    }

    @Test(arguments: StoreKind.allCases, [true, false])
    func aToManyWithoutMinimumMayBeEmpty(_ store: StoreKind, _ isOrdered: Bool) throws {
        let library = try Library(Self.model(ordered: isOrdered), store: store)
        try library.context.performAndWait {
            let team = library.context.insert("Team")
            try team.validateForInsert()
            try library.context.save()
            team.setValue("Reds", forKey: "name")
            try team.validateForUpdate()
            try library.context.save()
            // Emptied by what another object does.
            let player = library.context.insert("Player", ["team": team])
            try library.context.save()
            library.context.delete(player)
            try library.context.save()
            #expect((team.value(forKey: "players") as? NSSet)?.count ?? 0 == 0)
        }
    }

    @Test func aChildContextSavesOneToo() throws {
        let library = try Library(Self.model(), store: .sqlite)
        let child = library.makeChild()
        try child.performAndWait {
            child.insert("Team")
            try child.save()
        }
        try library.context.performAndWait { try library.context.save() }
        #expect(try library.makeContext().count(for: NSFetchRequest<NSManagedObject>(entityName: "Team")) == 1)
    }

    @Test(arguments: [(1, 0), (2, 0), (2, 1)])
    func aMinimumIsHeld(_ minimum: Int, _ count: Int) throws {
        let library = try Library(Self.model(minimum: minimum))
        try library.context.performAndWait {
            let team = library.context.insert("Team")
            let players = (0..<count).map { _ in library.context.insert("Player", ["team": team]) }
            let error = try #require(failure(library.context))
            #expect(error.code == NSValidationRelationshipLacksMinimumCountError)
            #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "players")
            for _ in players.count..<minimum { library.context.insert("Player", ["team": team]) }
            #expect(failure(library.context) == nil)
        }
    }

    @Test func anOptionalOneIsEmptyOrHasItsMinimum() throws {
        let library = try Library(Self.model(minimum: 2, optional: true))
        library.context.performAndWait {
            let team = library.context.insert("Team")
            #expect(failure(library.context) == nil)
            library.context.insert("Player", ["team": team])
            #expect(failure(library.context)?.code == NSValidationRelationshipLacksMinimumCountError)
            library.context.insert("Player", ["team": team])
            #expect(failure(library.context) == nil)
        }
    }

    @Test func rulesOfEmptyRelationshipsAreStillAsked() throws {
        let model = Self.model(optional: true)
        model.entitiesByName["Team"]?.relationshipsByName["players"]?.minCount = 2
        model.entitiesByName["Team"]?.relationshipsByName["players"]?.setValidationPredicates(
            [NSPredicate(value: false)], withValidationWarnings: ["No."])
        let library = try Library(model)
        library.context.performAndWait {
            library.context.insert("Team")
            #expect(failure(library.context)?.code == NSManagedObjectValidationError)
        }
    }

    @Test func aToOneMustLeadSomewhere() throws {
        let library = try Library(Self.model())
        try library.context.performAndWait {
            let player = library.context.insert("Player")
            let error = try #require(failure(library.context))
            #expect(error.code == NSValidationMissingMandatoryPropertyError)
            #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "team")
            #expect(error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === player)
            #expect(error.userInfo["entity"] as? String == "Player")
            let reason = try #require(error.localizedFailureReason)
            #expect(
                reason.contains("Player.team") && reason.contains(player.objectID.uriRepresentation().absoluteString))
            #expect(error.localizedRecoverySuggestion?.isEmpty == false)
        }
    }

    // MARK: Deny

    @Test(arguments: [true, false])
    func denyHoldsForObjectsNeverSaved(_ atEndOfEvent: Bool) throws {
        let library = try Library(Self.model())
        let context = library.context
        context.propagatesDeletesAtEndOfEvent = atEndOfEvent
        try context.performAndWait {
            let team = context.insert("Team"), player = context.insert("Player", ["team": team])
            context.delete(team)
            context.processPendingChanges()
            let error = try #require(failure(context))
            #expect(error.code == NSValidationRelationshipDeniedDeleteError)
            #expect(error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === team)
            // Once nothing denies it, the deletion is as if the object had never been.
            context.delete(player)
            try context.save()
            #expect(team.managedObjectContext == nil && !context.hasChanges)
            #expect(try context.fetchAll("Team").isEmpty && context.fetchAll("Player").isEmpty)
        }
    }

    @Test func aDeniedDeletionCanBeRolledBackOrTakenBack() throws {
        let library = try Library(Self.model())
        let context = library.context
        try context.performAndWait {
            let team = context.insert("Team")
            context.insert("Player", ["team": team])
            context.delete(team)
            #expect(failure(context) != nil)
            context.insert(team)
            try context.save()
            #expect(!team.objectID.isTemporaryID)
            let other = context.insert("Team")
            context.insert("Player", ["team": other])
            context.delete(other)
            context.processPendingChanges()
            context.rollback()
            #expect(!context.hasChanges)
            try context.save()
            #expect(try context.fetchAll("Team").count == 1)
        }
    }

    @Test func withoutRelatedObjectsANewObjectLeavesAtOnce() throws {
        let library = try Library(Self.model())
        try library.context.performAndWait {
            let team = library.context.insert("Team")
            library.context.delete(team)
            library.context.processPendingChanges()
            #expect(!library.context.hasChanges && team.managedObjectContext == nil)
            try library.context.save()
        }
    }
}
