import Foundation

/// An action that reverts a change.
struct UndoAction {
    /// The identity of the target, which is not retained.
    let target: ObjectIdentifier
    let perform: () -> Void

    init(target: AnyObject, perform: @escaping () -> Void) {
        self.target = ObjectIdentifier(target)
        self.perform = perform
    }
}

/// A group of actions that are undone together.
final class UndoGroup {
    /// The contents of a group.
    enum Item {
        case action(UndoAction)
        case group(UndoGroup)
    }

    var items: [Item] = []
    var name: String?
    var isDiscardable = false

    /// Calls the actions, last first.
    func perform() {
        for item in items.reversed() {
            switch item {
            case .action(let action): action.perform()
            case .group(let group): group.perform()
            }
        }
    }

    /// Removes the actions of one target. Returns false if none is left.
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
    /// The notification that a group is about to open or close, or undo or redo to begin.
    public static let NSUndoManagerCheckpoint = NSNotification.Name("NSUndoManagerCheckpointNotification")
    /// The notification that a group was opened.
    public static let NSUndoManagerDidOpenUndoGroup = NSNotification.Name("NSUndoManagerDidOpenUndoGroupNotification")
    /// The notification that a group is about to be closed.
    public static let NSUndoManagerWillCloseUndoGroup =
        NSNotification.Name("NSUndoManagerWillCloseUndoGroupNotification")
    /// The notification that a group was closed.
    public static let NSUndoManagerDidCloseUndoGroup =
        NSNotification.Name("NSUndoManagerDidCloseUndoGroupNotification")
    /// The notification that an undo is about to begin.
    public static let NSUndoManagerWillUndoChange = NSNotification.Name("NSUndoManagerWillUndoChangeNotification")
    /// The notification that an undo has ended.
    public static let NSUndoManagerDidUndoChange = NSNotification.Name("NSUndoManagerDidUndoChangeNotification")
    /// The notification that a redo is about to begin.
    public static let NSUndoManagerWillRedoChange = NSNotification.Name("NSUndoManagerWillRedoChangeNotification")
    /// The notification that a redo has ended.
    public static let NSUndoManagerDidRedoChange = NSNotification.Name("NSUndoManagerDidRedoChangeNotification")
}

/// The key of a will-close notification that is present, with true, if the group is discardable.
public let NSUndoManagerGroupIsDiscardableKey = "NSUndoManagerGroupIsDiscardableKey"
