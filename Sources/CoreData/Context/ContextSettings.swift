import CoreDataRowStorage
import Foundation

/// The settings of a context that programs also read and set away from its queue: Apple's are plain properties, which
/// programs set where they make the context.
struct ContextSettings {
    var name: String? {
        didSet { label = nil }
    }
    /// What instruments call the context, once they have asked.
    var label: ContextLabel?
    /// The number by which they tell it from others.
    var contextNumber: Int?
    var author: String?
    var mergePolicy: NSMergePolicy = .error
    var mergesChanges = false
    var undoManager: UndoManager?
    var deletesInaccessibleFaults = true
    var propagatesDeletes = true
}
