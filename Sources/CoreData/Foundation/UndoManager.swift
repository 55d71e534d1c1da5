import Foundation

// Foundation's undo manager, which Foundation lacks off Apple's platforms. To be removed once Foundation has it. Registration
// by selector and by invocation needs the Objective-C runtime and is missing.

/// Records actions that revert changes, in groups, and undoes them.
///
/// Not thread-safe: use it on one thread, usually the main thread.
open class UndoManager: NSObject {
    /// Whether a group is opened for each iteration of the run loop. True by default.
    ///
    /// Such a group is closed at the end of the iteration, or by `undo()`.
    open var groupsByEvent = true

    /// The maximum number of groups kept for undo and for redo; 0 for no limit.
    open var levelsOfUndo = 0 {
        didSet { trim() }
    }

    /// The run loop modes in which the groups of an iteration are closed.
    open var runLoopModes: [RunLoop.Mode] = [.default]

    /// Whether an undo is running.
    open private(set) var isUndoing = false

    /// Whether a redo is running.
    open private(set) var isRedoing = false

    private var undoStack: [UndoGroup] = []
    private var redoStack: [UndoGroup] = []
    private var openGroups: [UndoGroup] = []
    private var disabledCount = 0
    private var isEventGroupOpen = false

    /// Creates an undo manager without actions.
    public override init() {
        super.init()
    }

    // MARK: Groups

    /// The number of open groups.
    open var groupingLevel: Int { openGroups.count }

    /// Opens a group, inside the one that is already open, if any.
    open func beginUndoGrouping() {
        if openGroups.isEmpty {
            openEventGroupIfNeeded()
        }
        if !openGroups.isEmpty { post(.NSUndoManagerCheckpoint) }
        push()
    }

    /// Closes the group opened last. Traps if none is open.
    ///
    /// An empty group is discarded.
    open func endUndoGrouping() {
        precondition(
            !openGroups.isEmpty, "endUndoGrouping was called without a matching beginUndoGrouping.")
        post(.NSUndoManagerCheckpoint)
        let isDiscardable = openGroups.last?.isDiscardable ?? false
        post(.NSUndoManagerWillCloseUndoGroup, isDiscardable ? [NSUndoManagerGroupIsDiscardableKey: true] : nil)
        let group = openGroups.removeLast()
        if openGroups.isEmpty { isEventGroupOpen = false }
        if !group.items.isEmpty {
            if let outer = openGroups.last {
                outer.items.append(.group(group))
            } else if isUndoing {
                redoStack.append(group)
            } else {
                undoStack.append(group)
            }
            trim()
        }
        post(.NSUndoManagerDidCloseUndoGroup)
    }

    private func push() {
        openGroups.append(UndoGroup())
        post(.NSUndoManagerDidOpenUndoGroup)
    }

    /// Opens the group of this iteration of the run loop, and schedules its end.
    private func openEventGroupIfNeeded() {
        guard groupsByEvent, openGroups.isEmpty, !isUndoing, !isRedoing else { return }
        isEventGroupOpen = true
        push()
        // The block runs on this same thread, so passing the manager to it is safe.
        nonisolated(unsafe) let reference = WeakReference(self)
        RunLoop.current.perform(inModes: runLoopModes) {
            guard let manager = reference.object, manager.isEventGroupOpen, manager.groupingLevel == 1 else { return }
            manager.endUndoGrouping()
        }
    }

    private func trim() {
        guard levelsOfUndo > 0 else { return }
        undoStack.removeFirst(max(0, undoStack.count - levelsOfUndo))
        redoStack.removeFirst(max(0, redoStack.count - levelsOfUndo))
    }

    // MARK: Registration

    /// Whether actions are recorded.
    open var isUndoRegistrationEnabled: Bool { disabledCount == 0 }

    /// Stops recording until `enableUndoRegistration()` has been called as many times.
    open func disableUndoRegistration() {
        disabledCount += 1
    }

    /// Resumes recording. Traps if it was not stopped.
    open func enableUndoRegistration() {
        precondition(
            disabledCount > 0, "enableUndoRegistration was called without a matching disableUndoRegistration.")
        disabledCount -= 1
    }

    /// Registers an action that reverts a change. The target is not retained; the action does nothing once it is deallocated.
    ///
    /// Actions registered during an undo are recorded for redo. Traps if no group is open and `groupsByEvent` is false.
    public func registerUndo<TargetType>(
        withTarget target: TargetType,
        handler: @escaping (TargetType) -> Void
    ) where TargetType: AnyObject {
        guard isUndoRegistrationEnabled else { return }
        openEventGroupIfNeeded()
        guard let group = openGroups.last else {
            fatalError("registerUndo(withTarget:handler:) needs an open group: call beginUndoGrouping() first.")
        }
        if !isUndoing && !isRedoing { redoStack.removeAll() }
        group.items.append(
            .action(
                UndoAction(target: target) { [weak target] in
                    if let target { handler(target) }
                }))
    }

    /// Removes all actions, and enables recording.
    open func removeAllActions() {
        undoStack.removeAll()
        redoStack.removeAll()
        let levels = openGroups.count
        openGroups = (0..<levels).map { _ in UndoGroup() }
        disabledCount = 0
    }

    /// Removes the actions of one target.
    open func removeAllActions(withTarget target: Any) {
        let identity = ObjectIdentifier(target as AnyObject)
        undoStack.removeAll { !$0.removeActions(of: identity) }
        redoStack.removeAll { !$0.removeActions(of: identity) }
        for group in openGroups { _ = group.removeActions(of: identity) }
    }

    // MARK: Undo and redo

    /// Whether there is a group to undo.
    open var canUndo: Bool { !undoStack.isEmpty || openGroups.contains { !$0.items.isEmpty } }

    /// Whether there is a group to redo.
    open var canRedo: Bool {
        post(.NSUndoManagerCheckpoint)
        return !redoStack.isEmpty
    }

    /// The number of groups that can be undone.
    open var undoCount: Int { undoStack.count }

    /// The number of groups that can be redone.
    open var redoCount: Int { redoStack.count }

    /// Closes the open group, if there is one, and undoes the last group. Traps if nested groups are open.
    open func undo() {
        if groupingLevel == 1 { endUndoGrouping() }
        precondition(groupingLevel == 0, "undo was called with too many nested undo groups.")
        undoNestedGroup()
    }

    /// Undoes the last group, which may be inside an open one. Does nothing if there is none.
    open func undoNestedGroup() {
        post(.NSUndoManagerCheckpoint)
        let group: UndoGroup
        if let outer = openGroups.last {
            guard case .group(let inner)? = outer.items.last else { return }
            outer.items.removeLast()
            group = inner
        } else {
            guard let last = undoStack.popLast() else { return }
            group = last
        }
        post(.NSUndoManagerWillUndoChange)
        isUndoing = true
        perform(group)
        isUndoing = false
        post(.NSUndoManagerDidUndoChange)
    }

    /// Redoes the group that was undone last. Traps while a group is open.
    open func redo() {
        post(.NSUndoManagerCheckpoint)
        precondition(groupingLevel == 0, "redo was called while an undo group is open.")
        guard let group = redoStack.popLast() else { return }
        post(.NSUndoManagerWillRedoChange)
        isRedoing = true
        perform(group)
        isRedoing = false
        post(.NSUndoManagerDidRedoChange)
    }

    /// Calls a group's actions, and records the actions that they register as one group of the same name.
    private func perform(_ group: UndoGroup) {
        let outer = openGroups
        openGroups = []
        push()
        openGroups[0].name = group.name
        group.perform()
        while !openGroups.isEmpty { endUndoGrouping() }
        openGroups = outer
    }

    // MARK: Names

    /// The name of the next undo; empty if it has none.
    open var undoActionName: String { (openGroups.first { !$0.items.isEmpty } ?? undoStack.last)?.name ?? "" }

    /// The name of the next redo; empty if it has none.
    open var redoActionName: String { redoStack.last?.name ?? "" }

    /// Names the open group, or the last one.
    open func setActionName(_ actionName: String) {
        if let group = openGroups.first ?? undoStack.last { group.name = actionName }
    }

    /// The title of the undo command.
    open var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }

    /// The title of the redo command.
    open var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }

    /// Returns the title of an undo command for an action name.
    open func undoMenuTitle(forUndoActionName actionName: String) -> String {
        actionName.isEmpty ? "Undo" : "Undo \(actionName)"
    }

    /// Returns the title of a redo command for an action name.
    open func redoMenuTitle(forUndoActionName actionName: String) -> String {
        actionName.isEmpty ? "Redo" : "Redo \(actionName)"
    }

    /// Sets whether the open group, or the last one, may be discarded without harm.
    open func setActionIsDiscardable(_ discardable: Bool) {
        (openGroups.first ?? undoStack.last)?.isDiscardable = discardable
    }

    /// Whether the next undo is discardable.
    open var undoActionIsDiscardable: Bool { undoStack.last?.isDiscardable ?? false }

    /// Whether the next redo is discardable.
    open var redoActionIsDiscardable: Bool { redoStack.last?.isDiscardable ?? false }

    private func post(_ name: NSNotification.Name, _ userInfo: [AnyHashable: Any]? = nil) {
        NotificationCenter.default.post(name: name, object: self, userInfo: userInfo)
    }
}

private struct WeakReference {
    weak var object: UndoManager?

    init(_ object: UndoManager) {
        self.object = object
    }
}
