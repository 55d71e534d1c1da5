import CoreData
import Foundation
import Testing

/// Behaviour of Foundation's undo manager as its documentation describes it.
@Suite("Undo manager")
struct UndoManagerTests {
    /// A document whose changes can be undone.
    final class Counter {
        var value = 0
        let undoManager = UndoManager()

        init(groupsByEvent: Bool = false) {
            undoManager.groupsByEvent = groupsByEvent
        }

        func set(_ newValue: Int) {
            let oldValue = value
            undoManager.registerUndo(withTarget: self) { $0.set(oldValue) }
            value = newValue
        }

        func setGrouped(_ newValue: Int, name: String? = nil) {
            undoManager.beginUndoGrouping()
            set(newValue)
            if let name { undoManager.setActionName(name) }
            undoManager.endUndoGrouping()
        }
    }

    @Test("Undo takes back the last group, redo does it again")
    func undoRedo() {
        let counter = Counter()
        counter.setGrouped(1)
        counter.setGrouped(2)
        #expect(counter.undoManager.canUndo)
        #expect(!counter.undoManager.canRedo)
        counter.undoManager.undo()
        #expect(counter.value == 1)
        #expect(counter.undoManager.canRedo)
        counter.undoManager.undo()
        #expect(counter.value == 0)
        #expect(!counter.undoManager.canUndo)
        counter.undoManager.redo()
        #expect(counter.value == 1)
        counter.undoManager.redo()
        #expect(counter.value == 2)
        #expect(!counter.undoManager.canRedo)
        counter.undoManager.undo()
        #expect(counter.value == 1)
    }

    @Test("Nothing to undo is no error")
    func nothing() {
        let manager = UndoManager()
        manager.undo()
        manager.redo()
        #expect(!manager.canUndo)
    }

    @Test("The actions of a group run in reverse order")
    func order() {
        let manager = UndoManager()
        manager.groupsByEvent = false
        final class Log { var lines: [String] = [] }
        let log = Log()
        manager.beginUndoGrouping()
        manager.registerUndo(withTarget: log) { $0.lines.append("first") }
        manager.beginUndoGrouping()
        manager.registerUndo(withTarget: log) { $0.lines.append("inner 1") }
        manager.registerUndo(withTarget: log) { $0.lines.append("inner 2") }
        #expect(manager.groupingLevel == 2)
        manager.endUndoGrouping()
        manager.registerUndo(withTarget: log) { $0.lines.append("last") }
        manager.endUndoGrouping()
        #expect(manager.undoCount == 1)
        manager.undo()
        #expect(log.lines == ["last", "inner 2", "inner 1", "first"])
    }

    @Test("A new action forgets what could be redone")
    func newActionClearsRedo() {
        let counter = Counter()
        counter.setGrouped(1)
        counter.undoManager.undo()
        #expect(counter.undoManager.canRedo)
        counter.setGrouped(5)
        #expect(!counter.undoManager.canRedo)
    }

    @Test("A group without actions leaves no trace")
    func emptyGroup() {
        let counter = Counter()
        counter.setGrouped(1)
        counter.undoManager.beginUndoGrouping()
        counter.undoManager.endUndoGrouping()
        #expect(counter.undoManager.undoCount == 1)
    }

    @Test("Grouped by event, undo closes the open group")
    func groupsByEvent() {
        let counter = Counter(groupsByEvent: true)
        counter.set(1)
        counter.set(2)
        #expect(counter.undoManager.groupingLevel == 1)
        #expect(counter.undoManager.canUndo)
        counter.undoManager.undo()
        #expect(counter.undoManager.groupingLevel == 0)
        #expect(counter.value == 0)
        counter.undoManager.redo()
        #expect(counter.value == 2)
    }

    @Test("Grouped by event, the group closes when the run loop goes on")
    func runLoop() {
        let counter = Counter(groupsByEvent: true)
        counter.set(1)
        #expect(counter.undoManager.groupingLevel == 1)
        _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.05))
        #expect(counter.undoManager.groupingLevel == 0)
        #expect(counter.undoManager.undoCount == 1)
    }

    @Test("Levels of undo limit both stacks, oldest groups going first")
    func levels() {
        let counter = Counter()
        counter.undoManager.levelsOfUndo = 2
        for value in 1...4 { counter.setGrouped(value) }
        counter.undoManager.undo()
        counter.undoManager.undo()
        counter.undoManager.undo()
        #expect(counter.value == 2)
        #expect(counter.undoManager.redoCount == 2)
        counter.undoManager.levelsOfUndo = 1
        #expect(counter.undoManager.redoCount == 1)
    }

    @Test("Disabled registration records nothing, and calls nest")
    func disabling() {
        let counter = Counter()
        counter.undoManager.disableUndoRegistration()
        counter.undoManager.disableUndoRegistration()
        counter.undoManager.enableUndoRegistration()
        #expect(!counter.undoManager.isUndoRegistrationEnabled)
        counter.setGrouped(1)
        #expect(!counter.undoManager.canUndo)
        counter.undoManager.enableUndoRegistration()
        counter.setGrouped(2)
        #expect(counter.undoManager.canUndo)
    }

    @Test("Action names show in titles, and move to redo with the group")
    func names() {
        let counter = Counter()
        counter.setGrouped(1)
        #expect(counter.undoManager.undoMenuItemTitle == "Undo")
        counter.setGrouped(2, name: "Typing")
        #expect(counter.undoManager.undoActionName == "Typing")
        #expect(counter.undoManager.undoMenuItemTitle == "Undo Typing")
        counter.undoManager.undo()
        #expect(counter.undoManager.undoActionName == "")
        #expect(counter.undoManager.redoActionName == "Typing")
        #expect(counter.undoManager.redoMenuItemTitle == "Redo Typing")
        counter.undoManager.setActionName("Start")
        #expect(counter.undoManager.undoActionName == "Start")
    }

    @Test("Actions of one target can be forgotten")
    func removingTarget() {
        let manager = UndoManager()
        manager.groupsByEvent = false
        let (one, two) = (Counter(), Counter())
        manager.beginUndoGrouping()
        manager.registerUndo(withTarget: one) { $0.value = 10 }
        manager.registerUndo(withTarget: two) { $0.value = 20 }
        manager.endUndoGrouping()
        manager.beginUndoGrouping()
        manager.registerUndo(withTarget: one) { $0.value = 30 }
        manager.endUndoGrouping()
        manager.removeAllActions(withTarget: one)
        #expect(manager.undoCount == 1)
        manager.undo()
        #expect(one.value == 0)
        #expect(two.value == 20)
    }

    @Test("All actions can be forgotten")
    func removingAll() {
        let counter = Counter()
        counter.setGrouped(1)
        counter.setGrouped(2)
        counter.undoManager.undo()
        counter.undoManager.disableUndoRegistration()
        counter.undoManager.removeAllActions()
        #expect(!counter.undoManager.canUndo)
        #expect(!counter.undoManager.canRedo)
        #expect(counter.undoManager.isUndoRegistrationEnabled)
    }

    @Test("A target that is gone is passed over")
    func goneTarget() {
        let manager = UndoManager()
        manager.groupsByEvent = false
        manager.beginUndoGrouping()
        do {
            let counter = Counter()
            manager.registerUndo(withTarget: counter) { _ in Issue.record("the target is gone") }
        }
        manager.endUndoGrouping()
        manager.undo()
    }

    @Test("A group inside an open one can be undone by itself")
    func nested() {
        let counter = Counter()
        counter.undoManager.beginUndoGrouping()
        counter.set(1)
        counter.setGrouped(2)
        counter.undoManager.undoNestedGroup()
        #expect(counter.value == 1)
        #expect(counter.undoManager.groupingLevel == 1)
        counter.undoManager.endUndoGrouping()
        counter.undoManager.undo()
        #expect(counter.value == 0)
    }

    @Test("States and notifications go with undo and redo")
    func notifications() {
        let counter = Counter()
        let manager = counter.undoManager
        nonisolated(unsafe) var names: [String] = []
        let interesting: [NSNotification.Name] = [
            .NSUndoManagerDidOpenUndoGroup, .NSUndoManagerWillCloseUndoGroup, .NSUndoManagerDidCloseUndoGroup,
            .NSUndoManagerWillUndoChange, .NSUndoManagerDidUndoChange, .NSUndoManagerWillRedoChange,
            .NSUndoManagerDidRedoChange,
        ]
        let tokens = interesting.map { name in
            NotificationCenter.default.addObserver(forName: name, object: manager, queue: nil) { note in
                names.append(note.name.rawValue.replacingOccurrences(of: "NSUndoManager", with: ""))
            }
        }
        defer { for token in tokens { NotificationCenter.default.removeObserver(token) } }
        counter.setGrouped(1)
        #expect(
            names == [
                "DidOpenUndoGroupNotification", "WillCloseUndoGroupNotification", "DidCloseUndoGroupNotification",
            ])
        names = []
        manager.undo()
        #expect(names.first == "WillUndoChangeNotification")
        #expect(names.last == "DidUndoChangeNotification")
        names = []
        manager.redo()
        #expect(names.first == "WillRedoChangeNotification")
        #expect(names.last == "DidRedoChangeNotification")

        manager.beginUndoGrouping()
        manager.registerUndo(withTarget: counter) { _ in
            #expect(manager.isUndoing)
            #expect(!manager.isRedoing)
        }
        manager.endUndoGrouping()
        manager.undo()
        #expect(!manager.isUndoing)
    }

    @Test("A group can be marked as discardable")
    func discardable() {
        let counter = Counter()
        counter.undoManager.beginUndoGrouping()
        counter.set(1)
        counter.undoManager.setActionIsDiscardable(true)
        counter.undoManager.endUndoGrouping()
        #expect(counter.undoManager.undoActionIsDiscardable)
        counter.setGrouped(2)
        #expect(!counter.undoManager.undoActionIsDiscardable)
    }
}
