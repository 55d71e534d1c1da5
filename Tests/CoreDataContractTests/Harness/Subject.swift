import CoreDataRowStorage
import Foundation
import PredicateFormat

/// An engine that a rule of the contract is put to, what is in it, and what was found wrong with it.
final class Subject {
    let kind: EngineKind
    /// The engine as its users see it.
    let engine: any StoreEngine
    /// What it is asked in, and written to.
    private(set) var session: any StoreSession
    private let ground: Ground
    private(set) var findings: [String] = []
    private var others: [OpenEngine] = []

    /// - Parameter wrap: Puts another engine before the one that is filled.
    init(_ ground: Ground, wrap: (any StoreEngine) -> any StoreEngine = { $0 }) throws {
        kind = ground.kind
        self.ground = ground
        engine = wrap(ground.engine)
        session = try engine.session()
    }

    /// Runs `body` with another session in place of the usual one.
    func inSession<Result>(_ other: any StoreSession, _ body: () throws -> Result) rethrows -> Result {
        let usual = session
        session = other
        defer { session = usual }
        return try body()
    }

    /// Another engine of the same store, open as long as the subject is there.
    func openAnother() throws -> any StoreEngine {
        guard let other = try ground.openAnother() else { throw Absent(name: "another engine") }
        others.append(other)
        return other.engine
    }

    // MARK: Findings

    func expect(_ condition: Bool, _ finding: @autoclosure () -> String) {
        if !condition { findings.append(finding()) }
    }

    func expect<Value: Equatable>(_ found: Value, is expected: Value, _ what: @autoclosure () -> String) {
        if found != expected { findings.append("\(what()): \(found) instead of \(expected)") }
    }

    /// The error that `body` throws; its absence is a finding.
    @discardableResult
    func failure(of what: String, _ body: () throws -> Void) -> (any Error)? {
        do {
            try body()
            findings.append("\(what) did not fail.")
            return nil
        } catch {
            return error
        }
    }

    /// Expects an error of the Cocoa domain.
    func failure(of what: String, code: Int, _ body: () throws -> Void) {
        guard let error = failure(of: what, body) else { return }
        let found = error as NSError
        expect(
            found.domain == NSCocoaErrorDomain && found.code == code,
            "\(what) fails with \(found.domain) \(found.code) instead of \(code): \(error)")
    }

    // MARK: Names

    subscript(name: String) -> RowReference {
        guard let reference = ground.rows[name] else { preconditionFailure("There is no row \(name).") }
        return reference
    }

    /// What rows are called; other rows by their numbers.
    func named(_ references: some Sequence<RowReference>) -> [String] {
        references.map { ground.names[$0] ?? "\($0.entityNumber)/\($0.key)" }
    }

    /// What a predicate has in place of a row's object.
    func object(_ name: String) -> StandIn { StandIn(self[name], storeUUID: ground.identifier) }

    // MARK: Reading

    func fetch(
        _ entity: String, _ format: String? = nil, _ arguments: [Any?] = [], sort: [String] = [], limit: Int = 0,
        offset: Int = 0, includesSubentities: Bool = true
    ) throws -> StoreFetch {
        var fetch = StoreFetch(layout: Bookshop.layout(entity))
        fetch.predicate = try format.map { try NSPredicate.parse($0, arguments: arguments) }
        fetch.sortDescriptors = sort.map { key in
            key.hasPrefix("-")
                ? NSSortDescriptor(key: String(key.dropFirst()), ascending: false)
                : NSSortDescriptor(key: key, ascending: true)
        }
        fetch.limit = limit
        fetch.offset = offset
        fetch.includesSubentities = includesSubentities
        return fetch
    }

    /// Reads rows, and finds what the engine does wrong in delivering them.
    func collect(
        unwanted: Set<RowReference> = [], _ read: (any RowSink) throws -> Void
    ) throws -> RowCollector {
        let collector = RowCollector(unwanted: unwanted)
        try read(collector)
        findings += collector.violations
        return collector
    }

    func rows(_ fetch: StoreFetch) throws -> [StoredRow] {
        try collect { try session.fetchRows(fetch, into: $0) }.rows
    }

    func rows(_ entity: String, _ references: [RowReference]) throws -> [StoredRow] {
        let keys = ContiguousArray(references.map(\.key))
        return try collect { try session.readRows(keys: keys, of: Bookshop.layout(entity), into: $0) }.rows
    }

    /// The row as it is now; nil where there is none.
    func row(_ reference: RowReference) throws -> StoredRow? {
        guard let layout = Bookshop.layouts.byNumber[reference.entityNumber] else { return nil }
        session.renew()
        return try collect { try session.readRows(keys: [reference.key], of: layout, into: $0) }.rows.first
    }

    /// A row that must be there.
    func present(_ reference: RowReference) throws -> StoredRow {
        if let row = try row(reference) { return row }
        throw Absent(name: named([reference])[0])
    }

    func present(_ name: String) throws -> StoredRow { try present(self[name]) }

    struct Absent: Error {
        var name: String
    }

    func members(_ relationship: String, of entity: String, _ owner: RowReference) throws -> [String] {
        let found = try session.readToMany(
            Bookshop.relationship(relationship, of: entity), of: Bookshop.layout(entity), key: owner.key)
        return named(found)
    }

    func dictionaries(_ fetch: StoreFetch, _ table: FetchTable) throws -> [[String: Any]] {
        var fetch = fetch
        fetch.addTable(table, source: self)
        return try session.fetchDictionaries(fetch) { $0 }
    }

    // MARK: Writing

    @discardableResult
    func save(_ fill: (SaveBuilder) throws -> Void) throws -> SavedKeys {
        let builder = SaveBuilder()
        try fill(builder)
        return try withExtendedLifetime(builder) { try session.save(builder.changes) }
    }

    /// A save by somebody else, past the engine as its users see it.
    func saveBeside(_ fill: (SaveBuilder) throws -> Void) throws {
        let builder = SaveBuilder()
        try fill(builder)
        _ = try withExtendedLifetime(builder) { try ground.engine.session().save(builder.changes) }
    }

    /// The permanent reference of a row that came with a temporary key.
    func permanent(_ keys: SavedKeys, _ temporary: RowReference, _ entity: String) throws -> RowReference {
        guard let key = keys[temporary.key] else { throw Absent(name: "\(entity) \(temporary.key)") }
        return RowReference(entityNumber: Bookshop.layout(entity).number, key: key)
    }

    /// Inserts one row, and gives its reference.
    func insert(_ entity: String, _ values: [String: Any?] = [:]) throws -> RowReference {
        var temporary: RowReference?
        let keys = try save { temporary = $0.insert(entity, values) }
        guard let temporary else { throw Absent(name: entity) }
        return try permanent(keys, temporary, entity)
    }

    func count(_ entity: String) throws -> Int { try session.countRows(fetch(entity)) }
}
