import CoreDataRuntimeSupport
import Foundation
import Testing

struct TaskNumberTests {
    /// With `COREDATA_PLAIN=1` tasks are told apart by their addresses, which are used again.
    private static let isPlain = ProcessInfo.processInfo.environment["COREDATA_PLAIN"] == "1"

    @Test(.disabled(if: isPlain)) func noTwoTasksHaveTheSame() async {
        var numbers: Set<Int> = []
        for _ in 0..<200 { numbers.insert(await Task.detached { TaskNumber.current }.value) }
        #expect(numbers.count == 200)
        #expect(!numbers.contains(0))
    }

    @Test func aTaskKeepsItsNumber() async {
        let before = TaskNumber.current
        await Task.yield()
        #expect(TaskNumber.current == before)
    }

    @Test func outsideOfTasksThereIsNone() async {
        let number = await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: TaskNumber.current) }
        }
        #expect(number == 0)
    }
}
