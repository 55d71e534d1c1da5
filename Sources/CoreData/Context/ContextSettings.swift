import CoreDataRowStorage
import Foundation

/// The settings of a context that programs also access off its queue: Apple's are plain properties, which programs set where
/// they create the context.
struct ContextSettings {
    var name: String? {
        didSet { label = nil }
    }
    /// The label of the context in instruments, created on first use.
    var label: ContextLabel?
    /// The number that identifies the context in instruments.
    var contextNumber: Int?
    var author: String?
    var mergePolicy: NSMergePolicy = .error
    var mergesChanges = false
    var undoManager: UndoManager?
    var deletesInaccessibleFaults = true
    var propagatesDeletes = true
}
