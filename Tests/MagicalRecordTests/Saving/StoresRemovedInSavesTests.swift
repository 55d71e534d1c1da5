import CoreData
import MagicalRecord
import Testing

#if !canImport(ObjectiveC)
/// A save whose store is removed within it, by its closure or between its steps, must not succeed.
@Suite struct StoresRemovedInSavesTests {
    private static func expectRefusal(_ error: MagicalRecordError?) {
        #expect(error?.code == .noStore)
        #expect(error?.localizedDescription.contains("was removed within a save") == true)
        #expect(error?.recoverySuggestion?.contains("tearDown()") == true)
    }

    @Test(arguments: SavingTests.shapes) func byTheClosure(_ shape: MagicalRecord.Shape) async throws {
        let stack = try AddressBook.stack(shape: shape)
        let error = await #expect(throws: MagicalRecordError.self) {
            try await stack.save { context in
                try User.create(in: context)
                try stack.coordinator.remove(stack.stores[0])
            }
        }
        Self.expectRefusal(error)
        let other = try AddressBook.stack(shape: .siblings)
        Self.expectRefusal(
            #expect(throws: MagicalRecordError.self) {
                try other.saveAndWait { context in
                    try User.create(in: context)
                    try other.coordinator.remove(other.stores[0])
                }
            })
    }

    @Test func byTheClosureOfAnExclusiveWrite() async throws {
        let stack = try AddressBook.stack()
        await #expect(throws: (any Error).self) {
            try await stack.save(isolation: .exclusive) { context in
                try User.create(in: context)
                try stack.coordinator.remove(stack.stores[0])
            }
        }
    }

    @Test(arguments: [MagicalRecord.Shape.rootSaving, .parentChild]) func betweenTwoSteps(
        _ shape: MagicalRecord.Shape
    ) async throws {
        let stack = try AddressBook.stack(shape: shape)
        let context = stack.newContext()
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: context, queue: nil
        ) { _ in try? stack.coordinator.remove(stack.stores[0]) }
        defer { NotificationCenter.default.removeObserver(token) }
        await #expect(throws: (any Error).self) {
            try await context.perform { _ = try User.create(in: context) }
            try await context.save(to: .store)
        }
    }
}
#endif
