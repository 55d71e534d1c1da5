import CoreData
import CoreDataTestSupport

/// Several contexts over one store, edited at random, and the plain graphs they must agree with.
///
/// Whatever a context saves is merged into the others at once, so that at any time each shows what is saved with its own
/// changes on top. Contexts: two on the coordinator, two children of the first, a grandchild.
final class GraphWorld {
    let library: Library
    var random: SeededGenerator
    private(set) var sites: [GraphSite] = []
    private(set) var steps: [String] = []
    private var nextLabel = 1
    private var saved = Graph()

    init(seed: UInt64, store: StoreKind, shape: Shape = .family) throws {
        random = SeededGenerator(seed: seed)
        library = try Library(GraphSchema.make(), store: store)
        let book = LabelBook()
        let first = GraphSite("A", library.context, book)
        sites = [first]
        if shape == .alone { return }
        sites.append(GraphSite("B", library.makeContext(), book))
        let child = GraphSite("C", library.makeChild(of: first.context), book, parent: first)
        sites.append(child)
        sites.append(GraphSite("D", library.makeChild(of: child.context), book, parent: child))
        sites.append(GraphSite("E", library.makeChild(of: first.context), book, parent: first))
    }

    enum Shape { case alone, family }

    /// One random step on one random context.
    func step() throws {
        let site = sites.randomElement(using: &random)!
        try inside(site) { try step(at: site) }
        #if DEBUG
        try inside(site) { try site.context.checkInvariants() }
        #endif
    }

    func check() throws {
        for site in sites {
            try inside(site) {
                try site.check()
                #if DEBUG
                try site.context.checkInvariants()
                #endif
            }
        }
    }

    /// Runs a block on the queue of a site. The contexts above it wait, so they may be used as well.
    private func inside(_ site: GraphSite, _ body: () throws -> Void) throws {
        try site.context.performAndWait(body)
    }

    func note(_ text: String) { steps.append(text) }

    private func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    // MARK: Steps

    private func step(at site: GraphSite) throws {
        let before = site.view
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<16: try insert(at: site)
        case 16..<72: try edit(at: site)
        case 72..<78: try delete(at: site)
        case 78..<84: site.process()
        case 84..<88: try save(site)
        case 88..<90: rollBack(site)
        case 90..<93: undo(site)
        case 93..<95: redo(site)
        case 95..<97: try refresh(site)
        case 97: try obtainIDs(site)
        case 98: letGo(site)
        default: try inside(site) { try site.check() }
        }
        if site.view != before { try tellChildren(of: site) }
    }

    private func insert(at site: GraphSite) throws {
        guard site.view.records.count < 24 else { return try delete(at: site) }
        let kind: Graph.Kind = [.node, .node, .leaf, .box, .item, .item, .badge].randomElement(using: &random)!
        let label = nextLabel
        nextLabel += 1
        note("\(site.name) inserts \(kind.rawValue) \(label)")
        let object = site.context.insert(kind.rawValue, ["label": label])
        site.held[label] = object
        site.view.records[label] = Graph.Record(kind: kind)
        site.learnIDs()
    }

    private func delete(at site: GraphSite) throws {
        guard let label = site.view.records.keys.sorted().randomElement(using: &random) else { return }
        note("\(site.name) deletes \(label)")
        let object = try site.object(label)
        site.learnIDs()
        site.context.delete(object)
        site.view.delete(label)
        // Rules are applied when changes are processed.
        site.process()
    }

    private func save(_ site: GraphSite) throws {
        if wouldDouble(saving: site) { return }
        note("\(site.name) saves")
        // Processing may load what is being saved, which would then be no news.
        for other in sites { try inside(other) { other.process() } }
        site.lastSave = nil
        let old = site.parent?.view
        try site.context.save()
        site.learnIDs()
        if site.parent == nil, !site.isLeaf { try noteNewIDs() }
        guard let save = site.lastSave else { return }
        let base = site.base
        site.base = site.view
        if let parent = site.parent {
            parent.view = parent.view.receiving(site.view, changedSince: base)
            parent.process()
            parent.learnIDs()
            for sibling in parent.children where sibling !== site { try merge(save, parent.view, into: sibling) }
            if old != parent.view { try tell(parent, besides: site) }
        } else {
            saved = site.view
            for other in sites where other.parent == nil && other !== site { try merge(save, saved, into: other) }
        }
    }

    /// Temporary IDs may have become permanent, of objects that are about to be deleted, too.
    private func noteNewIDs() throws {
        for site in sites where !site.isLeaf { try inside(site) { try site.learnAllIDs() } }
    }

    /// Whether going back would bring something into a context that one below it has brought back as a new object, by undoing
    /// a deletion it had saved: two objects, where the graph has one.
    private func wouldDouble(_ target: Graph?, at site: GraphSite) -> Bool {
        guard let target, !site.isLeaf else { return false }
        let returning = target.records.keys.filter { site.view.records[$0] == nil }
        return sites.contains { other in
            guard sequence(first: other, next: \.parent).dropFirst().contains(where: { $0 === site }) else {
                return false
            }
            return returning.contains { other.view.records[$0] != nil && other.base.records[$0] == nil }
        }
    }

    /// Whether a save would hand the parent a new object for one that waits to be deleted there: its deletion was saved to
    /// the parent, then undone below. Those are two objects, where the graph has one.
    private func wouldDouble(saving site: GraphSite) -> Bool {
        guard let parent = site.parent else { return false }
        return site.view.records.keys.contains {
            site.base.records[$0] == nil && parent.base.records[$0] != nil
        }
    }

    private func rollBack(_ site: GraphSite) {
        if wouldDouble(site.base, at: site) { return }
        if chance(20), site.isLeaf {
            note("\(site.name) resets")
            site.process()
            site.context.reset()
            site.view = site.base
            site.held = [:]
            site.startAfresh()
        } else {
            note("\(site.name) rolls back")
            site.learnIDs()
            site.context.rollback()
            site.view = site.base
        }
        site.forgetUndo()
    }

    private func undo(_ site: GraphSite) {
        site.process()
        if wouldDouble(site.undoable.last, at: site) { return }
        note("\(site.name) undoes (\(site.undoable.count))")
        site.undo()
    }

    private func redo(_ site: GraphSite) {
        site.process()
        if wouldDouble(site.redoable.last, at: site) { return }
        note("\(site.name) redoes (\(site.redoable.count))")
        site.redo()
    }

    private func refresh(_ site: GraphSite) throws {
        site.process()
        if chance(30) {
            note("\(site.name) refreshes everything")
            return site.context.refreshAllObjects()
        }
        guard let label = site.view.records.keys.sorted().randomElement(using: &random) else { return }
        let object = try site.object(label)
        let keeps = chance(50) || !site.canDropChanges(of: label)
        note("\(site.name) refreshes \(label)\(keeps ? ", keeping changes" : "")")
        site.context.refresh(object, mergeChanges: keeps)
        if !keeps {
            site.dropChanges(of: label)
            site.forgetUndo()
        }
    }

    private func obtainIDs(_ site: GraphSite) throws {
        let some = site.context.insertedObjects.sorted { $0.label < $1.label }.filter { _ in chance(50) }
        note("\(site.name) obtains IDs for \(some.map(\.label))")
        try? site.context.obtainPermanentIDs(for: some)
        for object in some { site.held[object.label] = object }
        site.learnIDs()
        try noteNewIDs()
    }

    private func letGo(_ site: GraphSite) {
        note("\(site.name) lets objects go")
        site.learnIDs()
        site.held = site.held.filter { _ in chance(40) }
    }

    // MARK: Merging

    /// The children of a site take over what it shows now.
    private func tellChildren(of site: GraphSite) throws { try tell(site, besides: nil) }

    private func tell(_ site: GraphSite, besides source: GraphSite?) throws {
        guard !site.isLeaf else { return }
        try inside(site) {
            site.process()
            try site.learnAllIDs()
        }
        var known: [Int: Facts]?
        for child in site.children where child !== source && child.base != site.view {
            let (old, new) = (child.base.facts, known ?? site.view.facts)
            known = new
            var inserted: Set<NSManagedObjectID> = [], updated = inserted, deleted = inserted
            for (label, facts) in new {
                guard let id = site.knownIDs[label] else { continue }
                if let before = old[label] {
                    if before != facts { updated.insert(id) }
                } else {
                    inserted.insert(id)
                }
            }
            for label in old.keys where new[label] == nil {
                if let id = site.knownIDs[label] { deleted.insert(id) }
            }
            let note = Notification(
                name: .NSManagedObjectContextDidSaveObjectIDs, object: site.context,
                userInfo: [
                    NSInsertedObjectIDsKey: inserted, NSUpdatedObjectIDsKey: updated, NSDeletedObjectIDsKey: deleted,
                ])
            try merge(note, site.view, into: child)
        }
        site.forgetIDs()
    }

    private func merge(_ save: Notification, _ new: Graph, into site: GraphSite) throws {
        note("\(site.name) merges")
        let old = site.view
        try inside(site) {
            site.learnIDs()
            let deleted = save.userInfo?[NSDeletedObjectIDsKey] as? Set<NSManagedObjectID> ?? []
            let unknown = deleted.filter { site.context.registeredObject(for: $0) == nil }
            site.context.mergeChanges(fromContextDidSave: save)
            var ambiguous: Set<Int> = []
            site.view = site.view.rebased(from: site.base, onto: new, ambiguous: &ambiguous)
            if !unknown.isEmpty { site.forgetSilently(Set(old.records.keys).subtracting(site.view.records.keys)) }
            site.base = new
            site.forgetUndo()
            for box in ambiguous.sorted() {
                let order = try site.object(box).order("items")
                if order.sorted() == (site.view.items[box] ?? []).sorted(), !order.isEmpty {
                    site.view.items[box] = order
                }
            }
            site.process()
            site.learnIDs()
        }
        if site.view != old || !site.isLeaf { try tellChildren(of: site) }
    }
}
