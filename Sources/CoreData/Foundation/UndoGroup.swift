import Foundation

/// One way to take back a change.
struct UndoAction {
    /// Identity of the target, which is not retained.
    let target: ObjectIdentifier
    let perform: () -> Void

    init(target: AnyObject, perform: @escaping () -> Void) {
        self.target = ObjectIdentifier(target)
        self.perform = perform
    }
}

/// Actions that are taken back together.
final class UndoGroup {
    /// What a group consists of.
    enum Item {
        case action(UndoAction)
        case group(UndoGroup)
    }

    var items: [Item] = []
    var name: String?
    var isDiscardable = false

    /// Runs the actions, last first.
    func perform() {
        for item in items.reversed() {
            switch item {
            case .action(let action): action.perform()
            case .group(let group): group.perform()
            }
        }
    }

    /// Removes the actions of one target; false when nothing is left.
    func removeActions(of target: ObjectIdentifier) -> Bool {
        items.removeAll { item in
            switch item {
            case .action(let action): action.target == target
            case .group(let group): !group.removeActions(of: target)
            }
        }
        return !items.isEmpty
    }
}

extension NSNotification.Name {
    /// A group is about to open or close, or undo or redo to begin.
    public static let NSUndoManagerCheckpoint = NSNotification.Name("NSUndoManagerCheckpointNotification")
    /// A group was opened.
    public static let NSUndoManagerDidOpenUndoGroup = NSNotification.Name("NSUndoManagerDidOpenUndoGroupNotification")
    /// A group is about to be closed.
    public static let NSUndoManagerWillCloseUndoGroup =
        NSNotification.Name("NSUndoManagerWillCloseUndoGroupNotification")
    /// A group was closed.
    public static let NSUndoManagerDidCloseUndoGroup =
        NSNotification.Name("NSUndoManagerDidCloseUndoGroupNotification")
    /// An undo is about to begin.
    public static let NSUndoManagerWillUndoChange = NSNotification.Name("NSUndoManagerWillUndoChangeNotification")
    /// An undo is done.
    public static let NSUndoManagerDidUndoChange = NSNotification.Name("NSUndoManagerDidUndoChangeNotification")
    /// A redo is about to begin.
    public static let NSUndoManagerWillRedoChange = NSNotification.Name("NSUndoManagerWillRedoChangeNotification")
    /// A redo is done.
    public static let NSUndoManagerDidRedoChange = NSNotification.Name("NSUndoManagerDidRedoChangeNotification")
}

/// Key of a will-close notification: present and true when the group is discardable.
public let NSUndoManagerGroupIsDiscardableKey = "NSUndoManagerGroupIsDiscardableKey"
