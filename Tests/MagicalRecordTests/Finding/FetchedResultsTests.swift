import MagicalRecord
import Testing

/// Fetched-results controllers by the modern names; what controllers do is tested with Core Data.
@Suite(.addressBook(.server)) struct FetchedResultsTests {
    let stack: MagicalRecord.Stack
    let context: NSManagedObjectContext

    init() throws {
        stack = try #require(MagicalRecord.defaultStack)
        try AddressBook.fill(stack)
        context = stack.mainContext
    }

    /// Notes what it is told.
    final class Listener: NSObject, NSFetchedResultsControllerDelegate {
        var changes: [(kind: NSFetchedResultsChangeType, id: Int64)] = []

        func controller(
            _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
            at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
        ) {
            changes.append((type, (anObject as? User)?.userID ?? 0))
        }
    }

    @Test func inSections() throws {
        try context.runAndWait {
            let controller = try User.where(\.userID < 5).sorted(by: \.displayName, .descending).fetchedResults(
                sectionedBy: \.countryCode, in: context)
            #expect(controller.sections?.map(\.name) == ["49", "84"])
            #expect(controller.sections?.map(\.numberOfObjects) == [2, 2])
            #expect(controller.fetchedObjects?.map(\.displayName) == ["Bob", "Ann", "Dora", "Cid"])
            #expect(controller.object(at: IndexPath(item: 0, section: 1)).displayName == "Dora")
        }
    }

    @Test func inOneSectionWithoutAnOrder() throws {
        try context.runAndWait {
            let controller = try User.all.fetchedResults(in: context)
            #expect(controller.sections?.count == 1)
            // By what identifies users in imports.
            #expect(controller.fetchedObjects?.map(\.userID) == [1, 2, 3, 4, 5])
            let teams = try Team.all.fetchedResults(sectionedBy: \.name, in: context)
            #expect(teams.sections?.map(\.name) == ["Blue", "Red"])
        }
    }

    @Test func changesOfOtherContextsReachTheDelegate() async throws {
        let context = context
        let listener = Unchecked(Listener())
        let controller = try await context.perform {
            Unchecked(try User.where(\.isFriend == true).fetchedResults(delegate: listener.value, in: context))
        }
        try await stack.save { context in
            try User.findFirst(where: \.userID == 2, in: context)?.isFriend = true
            try User.findFirst(where: \.userID == 3, in: context)?.delete()
        }
        await stack.mergesHaveEnded()
        await context.perform {
            #expect(controller.value.fetchedObjects?.map(\.userID) == [1, 2, 4])
            #expect(Set(listener.value.changes.map(\.id)) == [2, 3])
            #expect(listener.value.changes.filter { $0.kind == .insert }.map(\.id) == [2])
            #expect(listener.value.changes.filter { $0.kind == .delete }.map(\.id) == [3])
        }
    }

    @Test func aSectionThatIsNoProperty() {
        let error = #expect(throws: MagicalRecordError.self) {
            try User.all.fetchedResults(sectionedBy: \.kind, in: context)
        }
        #expect(error?.code == .unnamedKeyPath)
    }

    private struct Unchecked<Value>: @unchecked Sendable {
        let value: Value
        init(_ value: Value) { self.value = value }
    }
}
