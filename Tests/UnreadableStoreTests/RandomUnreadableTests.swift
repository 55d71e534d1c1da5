import CoreData
import CoreDataTestSupport
import MagicalRecordTestSupport
import Testing

/// Random edits over a store that refuses one read in so many. The same edits happen to a store that answers always: after each
/// save that succeeded both hold the same, and after each that failed the store holds what it did before.
@Suite("Random edits over a store that refuses reads")
struct RandomUnreadableTests {
    @Test(arguments: 0..<LongForm.choose(4 as UInt64, long: 8))
    func theStoreHoldsWhatWasAcknowledged(seed: UInt64) throws {
        var run = try RandomRun(seed: seed, throughParent: seed % 2 == 1)
        try run.go(steps: LongForm.choose(300, long: 12_500))
        #expect(run.refusals > 0)
    }
}

/// One of two graphs that are edited alike.
private final class Graph {
    let library: Library
    let context: NSManagedObjectContext
    var objects: [String: NSManagedObject] = [:]

    init(throughParent: Bool) throws {
        library = try Library()
        context = throughParent ? library.child() : library.context()
        try findAll()
    }

    /// Looks all objects up again: after a rollback or a reset.
    func findAll() throws {
        try context.performAndWait { () throws in
            objects = [:]
            for entity in library.coordinator.managedObjectModel.entities {
                for object in try context.all(entity.name!) { objects[object.name!] = object }
            }
        }
    }

    /// Saves into the store; false where the model forbids it.
    func save() throws -> Bool {
        do {
            try context.save()
        } catch let error as NSError where (1550..<1700).contains(error.code) {
            return false
        }
        try context.parent?.performAndWait { try context.parent!.save() }
        return true
    }

    /// What the context shows.
    func picture() -> [String: String] {
        context.performAndWait {
            var result: [String: String] = [:]
            for (name, object) in objects where !object.isDeleted && object.managedObjectContext != nil {
                result[name] = Self.line(object)
            }
            return result
        }
    }

    /// An object with all its values. A relationship without inverse may lead to a deleted object, which has its name for as long
    /// as it is in memory: it leads nowhere.
    private static func line(_ object: NSManagedObject) -> String {
        let ends = object.entity.relationshipsByName.keys.sorted().map { key in
            let end = object.value(forKey: key) as? NSManagedObject
            let isGone = end.map { $0.managedObjectContext == nil || $0.isDeleted || $0.name == nil } ?? false
            return "\(key): \(isGone ? [] : object.names(key))"
        }
        return ([object.name ?? "nil", "\(object.value(forKey: "number") ?? "nil")"] + ends).joined(separator: ", ")
    }

    /// What the store holds.
    func stored() throws -> [String: String] {
        let context = library.context()
        return try context.performAndWait { () throws in
            var result: [String: String] = [:]
            for entity in library.coordinator.managedObjectModel.entities {
                for object in try context.all(entity.name!) {
                    result[object.name!] = Self.line(object)
                }
            }
            return result
        }
    }
}

private enum Edit {
    case number(String, Int)
    case toOne(String, String, String?)
    case add(String, String, String)
    case remove(String, String, String)
    case replace(String, String, [String])
    case insert(String, String)
    case delete(String)

    func apply(to graph: Graph) {
        let objects = graph.objects
        func usable(_ name: String) -> NSManagedObject? {
            guard let object = objects[name], object.managedObjectContext != nil, !object.isDeleted else { return nil }
            return object
        }
        switch self {
        case .number(let name, let number): usable(name)?.setValue(number, forKey: "number")
        case .toOne(let name, let key, let end): usable(name)?.setValue(end.flatMap(usable), forKey: key)
        case .add(let name, let key, let end):
            guard let owner = usable(name), let end = usable(end) else { return }
            if key == "pages" {
                owner.mutableOrderedSetValue(forKey: key).add(end)
            } else {
                owner.mutableSetValue(forKey: key).add(end)
            }
        case .remove(let name, let key, let end):
            guard let owner = usable(name), let end = usable(end) else { return }
            if key == "pages" {
                owner.mutableOrderedSetValue(forKey: key).remove(end)
            } else {
                owner.mutableSetValue(forKey: key).remove(end)
            }
        case .replace(let name, let key, let ends):
            guard let owner = usable(name) else { return }
            let ends = ends.compactMap(usable)
            owner.setValue(key == "pages" ? NSOrderedSet(array: ends) : NSSet(array: ends), forKey: key)
        case .insert(let entity, let name):
            let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: graph.context)
            object.setValue(name, forKey: "name")
            graph.objects[name] = object
        case .delete(let name):
            if let object = usable(name) { graph.context.delete(object) }
        }
    }
}

/// The lines of one picture that another has otherwise, with what it has.
private func differences(_ picture: [String: String], _ other: [String: String]) -> [String] {
    Set(picture.keys).union(other.keys).filter { picture[$0] != other[$0] }.sorted().map {
        "\(picture[$0] ?? "no \($0)"), not \(other[$0] ?? "there")"
    }
}

private struct RandomRun {
    private var random: SeededGenerator
    private let tried: Graph
    private let shadow: Graph
    private let seed: UInt64
    private var count = 0
    /// What has been done, for a failure to tell.
    private var steps: [String] = []
    /// What is in the stores.
    private var acknowledged: [String: String]

    var refusals: Int { tried.library.faults.refusals }

    init(seed: UInt64, throughParent: Bool) throws {
        self.seed = seed
        random = SeededGenerator(seed: seed)
        tried = try Graph(throughParent: throughParent)
        shadow = try Graph(throughParent: throughParent)
        acknowledged = try shadow.stored()
        #expect(try tried.stored() == acknowledged)
    }

    mutating func go(steps: Int) throws {
        for step in 0..<steps {
            let label = "seed \(seed), step \(step) after \(self.steps.suffix(30).joined(separator: "; "))"
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<2: try save(label)
            case 2..<5: refault()
            case 5 where Int.random(in: 0..<4, using: &random) == 0: try rollBack()
            default: try edit(label)
            }
        }
        try save("seed \(seed), the last")
    }

    private mutating func refuse() {
        tried.library.faults.refuse(oneIn: 8, seed: random.next())
    }

    /// Ends refusals, and takes the error if there is one.
    private func relent() -> Bool {
        tried.library.faults.relent()
        return tried.context.performAndWait { tried.context.takeReadError() != nil }
    }

    private mutating func edit(_ label: String) throws {
        let edit = makeEdit()
        steps.append("\(edit)")
        let before = tried.context.performAndWait { shadow.context.performAndWait { shadow.picture() } }
        shadow.context.performAndWait {
            edit.apply(to: shadow)
            shadow.context.processPendingChanges()
        }
        refuse()
        tried.context.performAndWait {
            edit.apply(to: tried)
            tried.context.processPendingChanges()
        }
        if tried.context.performAndWait({ tried.context.readError != nil }) {
            #expect(throws: FaultyEngine.error, "\(label): \(edit)") {
                try tried.context.performAndWait { try tried.context.save() }
            }
            #expect(try answering { try tried.stored() } == acknowledged, "\(label): \(edit)")
        }
        guard relent() else { return }
        let picture = tried.picture()
        if picture == shadow.picture() { return }
        // It has not happened: then nothing of it has.
        #expect(differences(picture, before) == [], "\(label): half of \(edit)")
        tried.context.performAndWait {
            edit.apply(to: tried)
            tried.context.processPendingChanges()
        }
        #expect(differences(tried.picture(), shadow.picture()) == [], "\(label): \(edit), repeated")
    }

    private func answering<Result>(_ body: () throws -> Result) rethrows -> Result {
        tried.library.faults.relent()
        return try body()
    }

    private mutating func save(_ label: String) throws {
        steps.append("save")
        let isAllowed = try shadow.context.performAndWait { try shadow.save() }
        refuse()
        var isSaved: Bool?
        var attempts = 0
        while isSaved == nil {
            do {
                isSaved = try tried.context.performAndWait { try tried.save() }
            } catch let error as NSError where error == FaultyEngine.error {
                if tried.context.parent == nil {
                    #expect(try answering { try tried.stored() } == acknowledged, "\(label): a save that failed")
                }
                // Once with an answer and once without.
                attempts += 1
                steps.append("refused")
                if attempts > 1 { tried.library.faults.relent() } else { refuse() }
                tried.context.performAndWait { _ = tried.context.takeReadError() }
                tried.context.parent?.performAndWait { _ = tried.context.parent?.takeReadError() }
            }
        }
        _ = relent()
        #expect(isSaved == isAllowed, "\(label)")
        if !isAllowed { return try rollBack() }
        acknowledged = try shadow.stored()
        #expect(try differences(tried.stored(), acknowledged) == [], "\(label): a save")
        #expect(differences(tried.picture(), shadow.picture()) == [], "\(label): after a save")
    }

    private mutating func refault() {
        steps.append("refault")
        refuse()
        tried.context.performAndWait { tried.context.refreshAllObjects() }
        tried.context.parent?.performAndWait { tried.context.parent?.refreshAllObjects() }
        _ = relent()
    }

    private mutating func rollBack() throws {
        steps.append("roll back")
        for graph in [tried, shadow] {
            graph.context.performAndWait { graph.context.rollback() }
            try graph.findAll()
        }
    }

    // MARK: Choosing

    private mutating func pick(_ entity: String) -> String? {
        shadow.objects.filter {
            $0.value.entity.name == entity && $0.value.managedObjectContext != nil && !$0.value.isDeleted
        }
        .keys.sorted().randomElement(using: &random)
    }

    private mutating func makeEdit() -> Edit {
        let owner = pick("Owner") ?? "none"
        switch Int.random(in: 0..<16, using: &random) {
        case 0, 1:
            let entity = ["Owner", "Kid", "Page", "Tag", "Badge"].randomElement(using: &random)!
            return .number(pick(entity) ?? "none", Int.random(in: 0..<100, using: &random))
        case 2: return .toOne(pick("Kid") ?? "none", "owner", Bool.random(using: &random) ? owner : nil)
        case 3: return .toOne(owner, "badge", pick("Badge"))
        case 4: return .toOne(pick("Badge") ?? "none", "owner", Bool.random(using: &random) ? owner : nil)
        case 5: return .toOne(owner, "favourite", pick("Tag"))
        case 6: return .add(owner, "kids", pick("Kid") ?? "none")
        case 7: return .remove(owner, "kids", pick("Kid") ?? "none")
        case 8: return .add(owner, "tags", pick("Tag") ?? "none")
        case 9: return .remove(owner, "tags", pick("Tag") ?? "none")
        case 10: return .add(owner, "pages", pick("Page") ?? "none")
        case 11: return .replace(owner, "pages", (0..<3).compactMap { _ in pick("Page") })
        case 12: return .replace(owner, "tags", (0..<2).compactMap { _ in pick("Tag") })
        case 13: return .replace(owner, "kids", (0..<2).compactMap { _ in pick("Kid") })
        case 14:
            count += 1
            let entity = ["Owner", "Kid", "Kid", "Page", "Tag", "Badge"].randomElement(using: &random)!
            return .insert(entity, "new\(count)")
        default:
            let entity = ["Owner", "Kid", "Page", "Tag", "Badge"].randomElement(using: &random)!
            return .delete(pick(entity) ?? "none")
        }
    }
}
