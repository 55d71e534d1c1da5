import CoreData
import CoreDataTestSupport

/// A context and what it should show.
final class GraphSite {
    let name: String
    let context: NSManagedObjectContext
    let undoManager = UndoManager()
    unowned let parent: GraphSite?
    private(set) var children: [GraphSite] = []
    /// What the context should show now, and what it builds on: the store, or what the parent shows.
    var view = Graph()
    var base = Graph()
    /// What the context showed when changes were processed last, and before each event that can be undone or redone.
    var lastEvent = Graph()
    var undoable: [Graph] = []
    var redoable: [Graph] = []
    private var knownUndoCount = 0
    /// Objects somebody holds on to. Others come and go.
    var held: [Int: NSManagedObject] = [:]
    /// IDs by label, as of the last time the children were told.
    var knownIDs: [Int: NSManagedObjectID] = [:]
    /// The labels of the objects that exist by what notifications said.
    private(set) var reported: Set<Int> = []
    /// What notifications said that cannot be.
    private(set) var complaints: [String] = []
    private let book: LabelBook
    private var observers: [any NSObjectProtocol] = []
    var lastSave: Notification?

    init(_ name: String, _ context: NSManagedObjectContext, _ book: LabelBook, parent: GraphSite? = nil) {
        self.book = book
        self.name = name
        self.context = context
        self.parent = parent
        context.name = name
        context.performAndWait { context.undoManager = undoManager }
        parent?.children.append(self)
        observe(.NSManagedObjectContextObjectsDidChange) { site, note in site.note(note) }
        observe(.NSManagedObjectContextDidSaveObjectIDs) { site, note in site.lastSave = note }
    }

    deinit { observers.forEach(NotificationCenter.default.removeObserver) }

    private func observe(_ name: Notification.Name, _ body: @escaping (GraphSite, Notification) -> Void) {
        nonisolated(unsafe) weak let site: GraphSite? = self
        nonisolated(unsafe) let body = body
        observers.append(
            NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) { note in
                if let site { body(site, note) }
            })
    }

    var isLeaf: Bool { children.isEmpty }
    var hasChanges: Bool { view != base }

    // MARK: Notifications

    private func note(_ note: Notification) {
        func objects(_ key: String) -> Set<NSManagedObject> { note.userInfo?[key] as? Set<NSManagedObject> ?? [] }
        if note.userInfo?[NSInvalidatedAllObjectsKey] != nil { return }
        let (inserted, updated) = (objects(NSInsertedObjectsKey), objects(NSUpdatedObjectsKey))
        let deleted = objects(NSDeletedObjectsKey)
        for object in inserted {
            let label = label(of: object)
            if !reported.insert(label).inserted { complaints.append("\(label) is reported as inserted twice") }
        }
        for object in deleted {
            let label = label(of: object)
            // What is inserted and deleted in one event is reported as deleted only.
            if reported.remove(label) == nil, !object.isInserted {
                complaints.append("\(label) is reported as deleted, unknown before")
            }
        }
        for object in updated where !reported.contains(label(of: object)) {
            complaints.append("\(label(of: object)) is reported as updated, unknown before")
        }
        if !inserted.isDisjoint(with: updated) || !deleted.isDisjoint(with: updated)
            || !inserted.isDisjoint(with: deleted)
        {
            let sets = [inserted, updated, deleted].map { $0.map(label(of:)).sorted() }
            complaints.append("an object is reported as two things at once: \(sets)")
        }
    }

    private func label(of object: NSManagedObject) -> Int {
        if let known = book.labels[object.objectID] { return known }
        let label = object.label
        book.labels[object.objectID] = label
        return label
    }

    /// Objects that nobody held went without a word.
    func forgetSilently(_ labels: Set<Int>) { reported.subtract(labels) }

    func startAfresh() { reported = Set(view.records.keys) }

    /// Notes the IDs objects have now, so that notifications about them can be understood when they are gone.
    func learnIDs() {
        for (label, object) in held where object.managedObjectContext === context {
            book.labels[object.objectID] = label
        }
        for (label, id) in knownIDs { book.labels[id] = label }
    }

    /// Notes the IDs of all objects, for children to be told of them. Only those of unsaved objects can have changed.
    func learnAllIDs() throws {
        for object in context.insertedObjects { knownIDs[object.label] = object.objectID }
        let unsaved = Set(context.insertedObjects.map(\.objectID))
        let isKnown = view.records.keys.allSatisfy { label in
            knownIDs[label].map { !$0.isTemporaryID || unsaved.contains($0) } ?? false
        }
        if isKnown { return }
        for object in try allObjects() { knownIDs[object.label] = object.objectID }
    }

    /// What comes back later may do so under another ID.
    func forgetIDs() {
        for (label, id) in knownIDs where view.records[label] == nil {
            book.labels[id] = label
            knownIDs[label] = nil
        }
    }

    // MARK: Events

    /// Processes pending changes, and notes what became undoable.
    func process() {
        context.processPendingChanges()
        // A child's save or fetch may have processed changes here meanwhile.
        // What changes nothing that shows is an event all the same.
        for _ in knownUndoCount..<max(knownUndoCount, undoManager.undoCount) {
            undoable.append(lastEvent)
            redoable = []
        }
        settleEvent()
    }

    private func settleEvent() {
        knownUndoCount = undoManager.undoCount
        lastEvent = view
    }

    func forgetUndo() {
        undoManager.removeAllActions()
        undoable = []
        redoable = []
        settleEvent()
    }

    func undo() {
        guard let previous = undoable.popLast() else { return }
        let before = undoManager.redoCount
        context.undo()
        if undoManager.redoCount > before { redoable.append(view) }
        show(previous)
    }

    func redo() {
        guard let next = redoable.popLast() else { return }
        let before = undoManager.undoCount
        context.redo()
        if undoManager.undoCount > before { undoable.append(view) }
        show(next)
    }

    private func show(_ graph: Graph) {
        let old = view
        view = graph
        view.bury(lostSince: old)
        settleEvent()
    }

    // MARK: Objects

    /// The object with a label: the one held, or whatever a fetch gives.
    func object(_ label: Int) throws -> NSManagedObject {
        if let known = held[label], known.managedObjectContext === context, !known.isDeleted { return known }
        held[label] = nil
        // A fetch processes changes.
        process()
        for object in try allObjects() where object.label == label {
            held[label] = object
            return object
        }
        throw GraphFailure("\(name) has no object \(label)")
    }

    func allObjects() throws -> [NSManagedObject] {
        try ["Node", "Box", "Item", "Badge"].flatMap { try context.fetchAll($0) }
    }
}

struct GraphFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

extension NSManagedObject {
    var label: Int { (value(forKey: "label") as? NSNumber)?.intValue ?? -1 }

    func labels(_ key: String) -> Set<Int> { Set((value(forKey: key) as? Set<NSManagedObject> ?? []).map(\.label)) }
    func order(_ key: String) -> [Int] {
        (value(forKey: key) as? NSOrderedSet)?.array.compactMap { ($0 as? NSManagedObject)?.label } ?? []
    }
    func labelOfOne(_ key: String) -> Int? { (value(forKey: key) as? NSManagedObject)?.label }
}

/// The labels of objects by their IDs, former ones included.
final class LabelBook {
    var labels: [NSManagedObjectID: Int] = [:]
}
