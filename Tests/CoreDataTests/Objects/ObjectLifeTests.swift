import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// The stages of an object's life, and the ways from one to another.
@Suite("Lives of objects")
struct ObjectLifeTests {
    private static let all: [ObjectLife] = [
        .detached, .saved, .inserted, .updated, .deleted, .discarded, .erased, .left, .gone, .recorder,
    ]

    @Test func fromEachStageThereAreSomeWaysAndNoOthers() {
        let ways = Self.all.map { life in
            "\(life): \(Self.all.filter { life.mayBecome($0) }.map { "\($0)" }.joined(separator: ", "))"
        }
        #expect(
            ways == [
                "detached: saved, inserted, recorder",
                "saved: inserted, updated, deleted, erased, gone",
                "inserted: saved, discarded, left, gone",
                "updated: saved, inserted, deleted, erased, gone",
                "deleted: saved, updated, erased, gone",
                "discarded: saved, inserted, erased, left, gone",
                "erased: gone",
                "left: inserted, gone",
                "gone: inserted",
                "recorder: ",
            ])
    }

    @Test func anObjectGoesFromStageToStage() throws {
        let library = try Library(store: .memory)
        let context = library.context
        let entity = try #require(context.persistentStoreCoordinator?.managedObjectModel.entitiesByName["Author"])
        let author = NSManagedObject(entity: entity, insertInto: nil)
        var lives = [author._state.life]
        func note() { lives.append(author._state.life) }
        author.setValue("Ann", forKey: "name")
        note()
        context.insert(author)
        note()
        context.delete(author)
        note()
        context.insert(author)
        note()
        try context.save()
        note()
        author.setValue("Bob", forKey: "name")
        note()
        context.delete(author)
        note()
        // A changed object whose deletion is taken back is a changed one.
        context.insert(author)
        note()
        context.rollback()
        note()
        context.delete(author)
        try context.save()
        note()
        context.insert(author)
        note()
        #expect(
            lives == [
                .detached, .detached, .inserted, .discarded, .inserted, .saved, .updated, .deleted, .updated, .saved,
                .gone,
                .inserted,
            ])
    }

    @Test func aMoveThatDoesNotExistStopsTheProgram() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let author = try Library(store: .memory).context.insert("Author")
            author.move(to: .recorder)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("An object that is inserted cannot become recorder"))
    }
}
