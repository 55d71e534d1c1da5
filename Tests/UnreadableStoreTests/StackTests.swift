import CoreData
import MagicalRecord
import Testing

/// Closures of saves, reads and writes are given placeholders where the store cannot be read; what they make of these is not saved,
/// nor returned.
@Suite("Saves and reads of a stack that cannot read")
struct UnreadableStackTests {
    static let shapes: [MagicalRecord.Shape] = [.rootSaving, .siblings, .server, .parentChild, .mainOnly]

    @Test(arguments: shapes)
    func theErrorIsThrown(_ shape: MagicalRecord.Shape) async throws {
        let library = try Library()
        let stack = MagicalRecord.Stack(coordinator: library.coordinator, shape: shape)
        let owner = try library.id("Owner", "A"), kid = try library.id("Kid", "Ak0")
        let before = try library.picture()

        library.faults.refuse()
        await #expect(throws: FaultyEngine.error) {
            try await stack.read { context in context.object(with: owner).value(forKey: "name") as? String }
        }
        await #expect(throws: FaultyEngine.error) {
            // Nothing is changed: there would be nothing to save.
            try await stack.save { context in _ = context.object(with: owner).value(forKey: "name") }
        }
        await #expect(throws: FaultyEngine.error) {
            try await stack.save { context in context.object(with: kid).setValue("edited", forKey: "name") }
        }
        library.faults.relent()
        #expect(try library.picture() == before)

        // Nothing is left of it.
        try await stack.save { context in context.object(with: kid).setValue("edited", forKey: "name") }
        #expect(try await stack.read { $0.object(with: owner).value(forKey: "name") as? String } == "A")
        #expect(try library.picture() != before)
        try await stack.tearDown()
    }

    /// A context that lasts is not in the way of the next read.
    @Test func databases() async throws {
        let library = try Library()
        let stack = MagicalRecord.Stack(coordinator: library.coordinator, shape: .server)
        let database = MagicalRecord.Database(stack: stack)
        let owner = try library.id("Owner", "A")
        library.faults.refuse()
        await #expect(throws: FaultyEngine.error) {
            try await database.read("names") { $0.object(with: owner).value(forKey: "name") as? String }
        }
        await #expect(throws: FaultyEngine.error) {
            try await database.save("names") { _ = $0.object(with: owner).value(forKey: "name") }
        }
        library.faults.relent()
        #expect(try await database.read("names") { $0.object(with: owner).value(forKey: "name") as? String } == "A")
        try await database.save("names") { $0.object(with: owner).setValue("new", forKey: "name") }
        #expect(try library.context().namesOfOwners() == ["B", "C", "new"])
        try await stack.tearDown()
    }

    /// What the main context once showed does not keep others from saving.
    @Test func theMainContext() async throws {
        let library = try Library()
        let stack = MagicalRecord.Stack(coordinator: library.coordinator, shape: .rootSaving)
        let owner = try library.id("Owner", "A")
        await MainActor.run {
            library.faults.refuse()
            let object = stack.mainContext.object(with: owner)
            #expect(object.value(forKey: "name") == nil)
            library.faults.relent()
        }
        try await stack.save { $0.object(with: owner).setValue("new", forKey: "name") }
        #expect(try library.context().namesOfOwners() == ["B", "C", "new"])
        try await stack.tearDown()
    }
}
