import CoreData
import Foundation
import Testing

extension SourceCompatibility {
    /// A list of tasks whose model gains an attribute: refused without options, migrated with them.
    @Suite @MainActor struct TasksTests {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)

        init() throws {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        }

        private func fillVersion1() throws {
            let stack = TasksStack(directory: directory, modelVersion: "Tasks")
            let context = try stack.makeContext()
            let home = NSEntityDescription.insertNewObject(forEntityName: "Location", into: context)
            home.setValue("Home", forKey: "name")
            for number in 1...3 {
                let task = NSEntityDescription.insertNewObject(forEntityName: "Task", into: context)
                task.setValue("Task \(number)", forKey: "text")
                task.setValue(number, forKey: "priority")
                task.setValue(home, forKey: "location")
            }
            // The urgent one needs a date, which this version cannot hold.
            for case let task as NSManagedObject in home.mutableSetValue(forKey: "tasks") {
                if task.value(forKey: "priority") as? Int == 3 {
                    task.setValue(0, forKey: "priority")
                }
            }
            try context.save()
        }

        @Test func refusesAStoreOfAnotherVersion() throws {
            try fillVersion1()
            do {
                _ = try TasksStack(directory: directory).makeContext()
                Issue.record("The store opened.")
            } catch let error as NSError {
                #expect(error.domain == NSCocoaErrorDomain)
                #expect(error.code == NSPersistentStoreIncompatibleVersionHashError)
                let metadata = error.userInfo["metadata"] as? [String: Any]
                #expect(metadata?[NSStoreTypeKey] as? String == NSSQLiteStoreType)
            }
        }

        @Test func validatesUrgentTasks() throws {
            let context = try TasksStack(directory: directory).makeContext()
            let task = Task(context: context)
            task.text = "Pay the rent"
            task.priority = 3
            #expect(throws: (any Error).self) { try context.save() }
            task.dueDate = Date(timeIntervalSinceNow: -60)
            try context.save()
            #expect(task.isOverdue)
            #expect(context.registeredObjects.contains(task))
        }
    }
}
