import CoreDataRowStorage
import Foundation
import Testing

/// What an engine answers against the contract is an error where its answers are checked.
@Suite("Checked answers") struct CheckedSessionTests {
    /// An engine whose sessions are checked.
    private final class CheckedEngine: StoreEngine {
        private let base: any StoreEngine

        init(_ base: any StoreEngine) { self.base = base }

        var abilities: StoreAbilities { base.abilities }

        private func checked(_ session: any StoreSession) -> any StoreSession {
            CheckedSession(session, Bookshop.layouts, of: "Test")
        }

        func session() throws -> any StoreSession { checked(try base.session()) }
        func snapshot() throws -> (any StoreSession)? { try base.snapshot().map(checked) }
        func exclusiveSession() throws -> any StoreSession { checked(try base.exclusiveSession()) }
        func reserveKeys(count: Int, of layout: EntityLayout) throws -> KeyRuns {
            let keys = try base.reserveKeys(count: count, of: layout)
            try CheckedSession.check(keys, count: count, of: layout, from: "Test")
            return keys
        }
        func retiring<Result>(_ copy: () throws -> Result) throws -> Result { try base.retiring(copy) }
    }

    /// What the check says is the engine's fault.
    @Test(arguments: Chapter.allCases) func anEngineThatKeepsTheContractIsNotFoundFault(with chapter: Chapter) throws {
        for rule in chapter.rules where rule.concerns(.memory) {
            #expect(try rule.violations(of: .memory) { CheckedEngine($0) } == [], "\(rule.rule)")
        }
    }

    private static func books(_ subject: Subject) throws {
        try subject.session.fetchRows(subject.fetch("Book", sort: ["pages"]), into: RowCollector())
    }

    private static func novels(_ subject: Subject) throws {
        var fetch = try subject.fetch("Book")
        fetch.includesSubentities = false
        try subject.session.fetchRows(fetch, into: RowCollector())
    }

    private static func firstThree(_ subject: Subject) throws {
        try subject.session.fetchRows(subject.fetch("Book", limit: 3), into: RowCollector())
    }

    private static func byKey(_ subject: Subject) throws {
        let keys = ContiguousArray([subject["b1"].key, subject["b4"].key, 999_999])
        try subject.session.readRows(keys: keys, of: Bookshop.layout("Book"), into: RowCollector())
    }

    private static func members(_ subject: Subject) throws {
        try subject.session.readToManyRows(
            Bookshop.relationship("books", of: "Author"), of: Bookshop.layout("Author"),
            keys: ContiguousArray([subject["ada"].key, subject["bob"].key]), into: RowCollector(), group: { _ in })
    }

    private static let breaches: [(Fault, String, @Sendable (Subject) throws -> Void)] = [
        (.repeatsARow, "twice", books), (.reversesOrder, "not in the order of Book.pages", books),
        (.seesEveryEntity, "was not asked for", novels),
        (.ignoresLimit, "more rows in it than the limit, 3", firstThree),
        (.readsAKeyTwice, "twice", byKey), (.announcesOwnersTwice, "was not asked for, or twice", members),
        (.countsWithoutLimit, "more rows", { _ = try $0.session.countRows($0.fetch("Book", limit: 3)) }),
        (
            .ignoresLimitOfDictionaries, "more rows",
            { subject in
                var table = FetchTable()
                table.columns = [FetchColumn(name: "pages", content: .path(["pages"]))]
                _ = try subject.dictionaries(subject.fetch("Book", limit: 3), table)
            }
        ),
        (
            .reservesOneTooFew, "4 keys were set aside instead of 5",
            { _ = try $0.engine.reserveKeys(count: 5, of: Bookshop.layout("Tag")) }
        ),
        (.tellsNoKeys, "is the key of no row", { try $0.save { $0.insert("Tag", ["word": "new"]) } }),
        (
            .tellsOneKeyForAll, "twice",
            {
                try $0.save {
                    $0.insert("Tag", ["word": "one"])
                    $0.insert("Tag", ["word": "two"])
                }
            }
        ),
        (
            .answersAfterItsEnd, "has ended",
            {
                try $0.session.end()
                _ = try $0.session.countRows($0.fetch("Book"))
            }
        ),
    ]

    @Test(arguments: 0..<breaches.count) func aBreachIsAnError(_ number: Int) throws {
        let (fault, reason, ask) = Self.breaches[number]
        let subject = try Subject(Ground.forWriting(.memory)) { CheckedEngine(FaultyEngine($0, fault)) }
        let error = #expect(throws: NSError.self) { try ask(subject) }
        #expect(error?.domain == NSCocoaErrorDomain && error?.code == NSPersistentStoreOperationError)
        #expect(error?.localizedFailureReason?.contains(reason) == true, "\(String(describing: error))")
    }
}
