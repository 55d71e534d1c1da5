import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// No link is lost without an error: what fits the new version is kept, and what cannot stand is error 134110 naming the objects,
/// before anything is written (published migrations of shipped models lose links these ways).
@Suite("Links in inferred migrations")
struct MigratedLinksTests {
    typealias Entities = [(header: String, properties: String)]

    enum Way: CaseIterable, Sendable {
        case inPlace, byObjects, xml, postgreSQL

        static let allCases: [Way] = [.inPlace, .byObjects, .xml] + (StoreKind.hasServer ? [.postgreSQL] : [])

        func makeStore() throws -> MigrationStore {
            switch self {
            case .xml: try MigrationStore(type: NSXMLStoreType, name: "Store.xml")
            case .postgreSQL: try MigrationStore(type: StoreKind.postgreSQL.type)
            default: try MigrationStore()
            }
        }
    }

    /// Two versions, objects of the first as "entity id relationship=id,id …", and what becomes of them.
    struct Case: Sendable, CustomTestStringConvertible {
        var words: String
        var old: Entities
        var new: Entities
        var objects: [String]
        /// Links of the second version; nil when it is refused.
        var links: [String]?
        /// What an error names.
        var named: String?

        var testDescription: String { words }

        init(
            _ words: String, _ old: Entities, _ new: Entities, _ objects: [String], links: [String]? = nil,
            named: String? = nil
        ) {
            self.words = words
            self.old = old
            self.new = new
            self.objects = objects
            self.links = links
            self.named = named
        }
    }

    private static let hierarchy: Entities = [("B", "id: string?"), ("C : B", ""), ("D : B", "")]

    static let cases: [Case] = [
        Case(
            "a to-one that three share gets a to-one inverse",
            [("P", "id: string?; q -> Q 0..1?"), ("Q", "id: string?")],
            [("P", "id: string?; q -> Q.p 0..1?"), ("Q", "id: string?; p -> P.q 0..1?")],
            ["P 1 q=a", "P 2 q=a", "P 3 q=a", "Q a"], named: "Q.p"),
        Case(
            "a to-one that is not shared gets a to-one inverse",
            [("P", "id: string?; q -> Q 0..1?"), ("Q", "id: string?")],
            [("P", "id: string?; q -> Q.p 0..1?"), ("Q", "id: string?; p -> P.q 0..1?")],
            ["P 1 q=a", "P 2 q=b", "P 3", "Q a", "Q b"], links: ["1.q=a", "2.q=b", "a.p=1", "b.p=2"]),
        Case(
            "n : 1 becomes 1 : 1 under another name",
            [("M", "id: string?; u -> U.ms 0..1?"), ("U", "id: string?; ms -> M.u 0..0?")],
            [("M", "id: string?; u -> U.m 0..1?"), ("U", "id: string?; m -> M.u 0..1?")],
            ["M 1 u=a", "M 2 u=a", "U a"], named: "U.m"),
        Case(
            "inverses are exchanged",
            [
                ("P", "id: string?; q -> Q.p 0..1?; w -> Q.o 0..1?"),
                ("Q", "id: string?; p -> P.q 0..1?; o -> P.w 0..1?"),
            ],
            [
                ("P", "id: string?; q -> Q.o 0..1?; w -> Q.p 0..1?"),
                ("Q", "id: string?; p -> P.w 0..1?; o -> P.q 0..1?"),
            ],
            ["P 1 q=a w=b", "Q a", "Q b"], named: "P.q"),
        Case(
            "two that lead one way become inverses, and disagree",
            [("P", "id: string?; q -> Q 0..1?"), ("Q", "id: string?; p -> P 0..1?")],
            [("P", "id: string?; q -> Q.p 0..1?"), ("Q", "id: string?; p -> P.q 0..1?")],
            ["P 1 q=a", "P 2", "Q a p=2"], named: "Q.p"),
        Case(
            "two that lead one way become inverses, and complete each other",
            [("P", "id: string?; q -> Q 0..1?"), ("Q", "id: string?; p -> P 0..1?")],
            [("P", "id: string?; q -> Q.p 0..1?"), ("Q", "id: string?; p -> P.q 0..1?")],
            ["P 1 q=a", "P 2", "Q a", "Q b p=2"], links: ["1.q=a", "2.q=b", "a.p=1", "b.p=2"]),
        Case(
            "an entity moves out of the hierarchy a relationship leads to",
            [("P", "id: string?; q -> B 0..1?"), ("B", "id: string?"), ("C : B", "")],
            [("P", "id: string?; q -> B 0..1?"), ("B", "id: string?"), ("C", "id: string?")],
            ["P 1 q=c", "P 2 q=b", "B b", "C c"], named: "P.q"),
        Case(
            "an entity that nothing leads to moves out of the hierarchy",
            [("P", "id: string?; q -> B 0..1?"), ("B", "id: string?"), ("C : B", "")],
            [("P", "id: string?; q -> B 0..1?"), ("B", "id: string?"), ("C", "id: string?")],
            ["P 2 q=b", "B b", "C c"], links: ["2.q=b"]),
        Case(
            "a to-one is narrowed to a child", [("P", "id: string?; q -> B 0..1?")] + hierarchy,
            [("P", "id: string?; q -> C 0..1?")] + hierarchy,
            ["P 1 q=c", "P 2 q=d", "C c", "D d"], named: "P.q"),
        Case(
            "a to-one that fits is narrowed to a child", [("P", "id: string?; q -> B 0..1?")] + hierarchy,
            [("P", "id: string?; q -> C 0..1?")] + hierarchy,
            ["P 1 q=c", "P 2", "C c", "D d", "B b"], links: ["1.q=c"]),
        Case(
            "a to-many without inverse is narrowed to a child", [("P", "id: string?; qs -> B 0..0?")] + hierarchy,
            [("P", "id: string?; qs -> C 0..0?")] + hierarchy,
            ["P 1 qs=c,b", "C c", "B b"], named: "P.qs"),
        Case(
            "a to-many with an inverse is narrowed to a new child",
            [("S", "id: string?; imgs -> I.s 0..0?"), ("I", "id: string?; s -> S.imgs 0..1?")],
            [("S", "id: string?; imgs -> J.s 0..0?"), ("I", "id: string?"), ("J : I", "s -> S.imgs 0..1?")],
            ["S 1 imgs=a,b", "I a", "I b"], named: "S.imgs"),
        Case(
            "many-to-many is narrowed to a child",
            [("P", "id: string?; qs -> B.ps 0..0?"), ("B", "id: string?; ps -> P.qs 0..0?"), ("C : B", "")],
            [("P", "id: string?; qs -> C.ps 0..0?"), ("B", "id: string?"), ("C : B", "ps -> P.qs 0..0?")],
            ["P 1 qs=c,b", "P 2 qs=c", "C c", "B b"], named: "P.qs"),
        Case(
            "a relationship leads to an unrelated entity, and objects are related",
            [("P", "id: string?; q -> Q 0..1?"), ("Q", "id: string?"), ("R", "id: string?")],
            [("P", "id: string?; q -> R 0..1?"), ("Q", "id: string?"), ("R", "id: string?")],
            ["P 1 q=a", "Q a", "R r"], named: "P.q"),
        // A published program migrates three released versions so.
        Case(
            "a relationship leads to an unrelated entity, and no objects are related",
            [("P", "id: string?; q -> Q 0..1?"), ("Q", "id: string?"), ("R", "id: string?")],
            [("P", "id: string?; q -> R 0..1?"), ("Q", "id: string?"), ("R", "id: string?")],
            ["P 1", "Q a", "R r"], links: []),
        Case(
            "many-to-many loses its inverse, and objects have several",
            [("P", "id: string?; qs -> Q.ps 0..0?"), ("Q", "id: string?; ps -> P.qs 0..0?")],
            [("P", "id: string?; qs -> Q 0..0?"), ("Q", "id: string?")],
            ["P 1 qs=a,b", "P 2 qs=a", "Q a", "Q b"], named: "P.qs"),
        Case(
            "a to-one becomes required where all have one",
            [("P", "id: string?; q -> Q 0..1?"), ("Q", "id: string?")],
            [("P", "id: string?; q -> Q 1..1"), ("Q", "id: string?")],
            ["P 1 q=a", "Q a"], links: ["1.q=a"]),
        Case(
            "a to-one becomes required where one has none",
            [("P", "id: string?; q -> Q 0..1?"), ("Q", "id: string?")],
            [("P", "id: string?; q -> Q 1..1"), ("Q", "id: string?")],
            ["P 1 q=a", "P 2", "Q a"], named: "P.q"),
        Case(
            "a required to-one is new", [("P", "id: string?"), ("Q", "id: string?")],
            [("P", "id: string?; q -> Q 1..1"), ("Q", "id: string?")], ["P 1", "Q a"], named: "P.q"),
        Case(
            "a required to-one is new and filled from its inverse",
            [("P", "id: string?"), ("Q", "id: string?; ps -> P 0..0?")],
            [("P", "id: string?; q -> Q.ps 1..1"), ("Q", "id: string?; ps -> P.q 0..0?")], ["P 1", "Q a ps=1"],
            links: ["1.q=a", "a.ps=1"]),
        Case(
            "a required to-one loses the entity it leads to",
            [("P", "id: string?; q -> B 1..1")] + hierarchy, [("P", "id: string?; q -> B 1..1"), ("B", "id: string?")],
            ["P 1 q=c", "C c"], named: "P.q"),
    ]

    @Test(arguments: cases, Way.allCases)
    func migrations(_ test: Case, _ way: Way) throws {
        let (old, new) = (makeModel(test.old), makeModel(test.new))
        let store = try way.makeStore()
        try store.open(old) { try fill($0, test.objects) }
        let before = way == .postgreSQL ? Data() : try Data(contentsOf: store.url)
        let linksBefore = try store.open(old) { try self.links($0, old) }
        let other = try MigrationStore()
        let migrated = way == .byObjects ? other : store
        let failure = error {
            guard way == .byObjects else { return try store.migrate(to: new) }
            let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
            manager.usesStoreSpecificMigrationManager = false
            let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new)
            try manager.migrateStore(from: store.url, type: .sqlite, mapping: mapping, to: other.url, type: .sqlite)
        }
        guard let links = test.links else {
            let error = try #require(failure)
            #expect(error.code == NSMigrationError)
            #expect(error.localizedDescription.contains(test.named ?? ""))
            let objects = error.userInfo[NSAffectedObjectsErrorKey] as? [URL]
            #expect(objects?.isEmpty == false)
            #expect(
                error.userInfo["relationship"] as? String == test.named?.split(separator: ".").last.map(String.init))
            #expect(error.localizedRecoverySuggestion?.isEmpty == false)
            // The store is what it was, byte for byte.
            if way != .postgreSQL { #expect(try Data(contentsOf: store.url) == before) }
            #expect(try store.open(old) { try self.links($0, old) } == linksBefore)
            return
        }
        #expect(failure == nil)
        let found = try migrated.open(new) { try self.links($0, new) }
        #expect(found == links.sorted())
        // The objects can be saved again.
        try migrated.open(new) { context in
            for entity in new.entities {
                for object in try context.fetchAll(entity.name ?? "") { object.setValue("new", forKey: "id") }
            }
            try context.save()
        }
    }

    /// The remedy is in the error; the objects are those of the old version.
    @Test func errorsNameTheObjectsAtBothEnds() throws {
        let test = Self.cases[0]
        let store = try MigrationStore()
        try store.open(makeModel(test.old)) { try fill($0, test.objects) }
        let failure = try #require(error { try store.migrate(to: makeModel(test.new)) })
        let objects = try #require(failure.userInfo[NSAffectedObjectsErrorKey] as? [URL])
        #expect(objects.map(\.path) == ["/Q/p1"])
        for key in ["P/p1", "P/p2", "P/p3"] { #expect(failure.localizedDescription.contains(key)) }
        #expect(failure.localizedDescription.contains("holds one object, where several may have had one in P.q"))
        #expect(failure.localizedRecoverySuggestion?.contains("mapping model") == true)
    }

    // MARK: Objects

    private func fill(_ context: NSManagedObjectContext, _ lines: [String]) throws {
        var objects: [String: NSManagedObject] = [:]
        for words in lines.map({ $0.split(separator: " ").map(String.init) }) {
            let object = NSEntityDescription.insertNewObject(forEntityName: words[0], into: context)
            object.setValue(words[1], forKey: "id")
            objects[words[1]] = object
        }
        for words in lines.map({ $0.split(separator: " ").map(String.init) }) {
            for link in words.dropFirst(2).map({ $0.split(separator: "=").map(String.init) }) {
                let targets = link[1].split(separator: ",").compactMap { objects[String($0)] }
                let isToMany = objects[words[1]]?.entity.relationshipsByName[link[0]]?.isToMany == true
                objects[words[1]]?.setValue(isToMany ? Set(targets) : targets.first, forKey: link[0])
            }
        }
        try context.save()
    }

    private func links(_ context: NSManagedObjectContext, _ model: NSManagedObjectModel) throws -> [String] {
        func id(_ object: NSManagedObject) -> String { object.value(forKey: "id") as? String ?? "?" }
        var found: [String] = []
        for entity in model.entities {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
            request.includesSubentities = false
            for object in try context.fetch(request) {
                for name in object.entity.relationshipsByName.keys {
                    let value = object.value(forKey: name)
                    let targets =
                        (value as? NSManagedObject).map { [$0] } ?? (value as? Set<NSManagedObject>).map(Array.init)
                    guard let targets, !targets.isEmpty else { continue }
                    found.append("\(id(object)).\(name)=\(targets.map(id).sorted().joined(separator: ","))")
                }
            }
        }
        return found.sorted()
    }

    private func error(_ body: () throws -> Void) -> NSError? {
        do {
            try body()
            return nil
        } catch { return error as NSError }
    }
}
