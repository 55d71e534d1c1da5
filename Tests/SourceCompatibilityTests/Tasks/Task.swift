import CoreData
import Foundation

class Task: NSManagedObject {
    @NSManaged var text: String?
    @NSManaged var priority: Int32
    @NSManaged var dueDate: Date?
    @NSManaged var location: Location?

    var isOverdue: Bool {
        guard let due = dueDate else { return false }
        return due < Date()
    }

    override func validateForInsert() throws {
        try super.validateForInsert()
        try validatePriorityAndDate()
    }

    override func validateForUpdate() throws {
        try super.validateForUpdate()
        try validatePriorityAndDate()
    }

    /// An urgent task must have a date.
    private func validatePriorityAndDate() throws {
        if priority == 3 && dueDate == nil {
            throw NSError(
                domain: "Tasks", code: NSManagedObjectValidationError,
                userInfo: [
                    NSLocalizedDescriptionKey: "An urgent task must have a date.",
                    NSValidationObjectErrorKey: self,
                ])
        }
    }
}

class Location: NSManagedObject {
    @NSManaged var name: String?
    @NSManaged var tasks: Set<Task>?
}
