import Foundation
import MagicalRecord
import MagicalRecordTestSupport
import Testing

#if os(Linux)
/// Programs with a stack for each of their users, or for each of their tests.
@Suite("Many stacks", .slow) struct ManyStacksTests {
    /// In a process by itself: other tests have stacks too.
    @Test func aSaveCostsTheSameBesideManyOthers() async {
        await #expect(processExitsWith: .success) {
            let stack = try AddressBook.stack()
            func fastestSave() throws -> Duration {
                try (0..<50).map { number in
                    try ContinuousClock().measure {
                        try stack.saveAndWait { try User.create(in: $0).userID = Int64(number) }
                    }
                }.min() ?? .zero
            }
            _ = try fastestSave()
            let alone = try fastestSave()
            let others = (0..<2_000).map { _ in
                MagicalRecord.Stack(coordinator: NSPersistentStoreCoordinator(managedObjectModel: stack.model))
            }
            let beside = try fastestSave()
            precondition(beside < alone * 2, "\(alone) alone, \(beside) beside \(others.count) stacks")
        }
    }
}
#endif
