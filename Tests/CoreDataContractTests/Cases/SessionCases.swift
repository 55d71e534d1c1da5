import CoreDataRowStorage
import CoreDataRuntimeSupport
import Foundation

/// What sessions show, how they end, and how one of them keeps others from writing.
enum SessionCases {
    static let all: [ContractCase] = showing + ending + excluding + several

    static func addTag(_ session: any StoreSession, _ word: String = "new") throws {
        let builder = SaveBuilder()
        builder.insert("Tag", ["word": word])
        _ = try withExtendedLifetime(builder) { try session.save(builder.changes) }
    }

    private static func weight(_ subject: Subject, _ session: any StoreSession) throws -> Double? {
        try subject.inSession(session) { try subject.rows("Tag", [subject["red"]]).first?.number("weight") }
    }

    private static func changeWeight(_ subject: Subject, to weight: Int) throws {
        let row = try subject.present("red")
        try subject.saveBeside { $0.update(row, ["weight": weight]) }
    }

    private static let showing: [ContractCase] = [
        ContractCase("A fetch shows what others have written since the last one") { subject in
            let session = try subject.engine.session()
            let fetch = try subject.fetch("Tag")
            for number in 0..<4 {
                subject.expect(try session.countRows(fetch), is: 4 + number, "tags counted")
                subject.expect(try session.fetchReferences(fetch).count, is: 4 + number, "tags found")
                try subject.saveBeside { $0.insert("Tag", ["word": "beside \(number)"]) }
            }
        },
        ContractCase("Rows that are read by key show what was written in this process") { subject in
            let session = try subject.engine.session()
            for number in 1...5 {
                try changeWeight(subject, to: number * 10)
                subject.expect(try weight(subject, session), is: Double(number * 10), "weight")
            }
        },
        ContractCase("Rows that are read after a renewal show what was written until then") { subject in
            let session = try subject.engine.session()
            for number in 1...5 {
                _ = try weight(subject, session)
                try changeWeight(subject, to: number * 10)
                session.renew()
                subject.expect(try weight(subject, session), is: Double(number * 10), "weight")
            }
        },
        ContractCase("A session that rests can be used further") { subject in
            let session = try subject.engine.session()
            for number in 1...5 {
                for _ in 0..<3 { _ = try weight(subject, session) }
                session.rest()
                try changeWeight(subject, to: number * 10)
                subject.expect(try weight(subject, session), is: Double(number * 10), "weight")
                session.rest()
                session.rest()
            }
        },
        ContractCase("A session shows what it has written itself") { subject in
            let session = try subject.engine.session()
            for number in 1...3 {
                try addTag(session, "new \(number)")
                subject.expect(try session.countRows(subject.fetch("Tag")), is: 4 + number, "tags")
            }
        },
        ContractCase("Sessions of several threads are used at once") { subject in
            let engine = subject.engine
            let key = subject["red"].key
            let failures = Locked(0)
            DispatchQueue.concurrentPerform(iterations: 8) { _ in
                do {
                    let session = try engine.session()
                    for _ in 0..<20 {
                        let collector = RowCollector()
                        try session.readRows(keys: [key], of: Bookshop.layout("Tag"), into: collector)
                        if collector.rows.count != 1 { failures.withLock { $0 += 1 } }
                    }
                    session.rest()
                } catch {
                    failures.withLock { $0 += 1 }
                }
            }
            subject.expect(failures.withLock { $0 }, is: 0, "reads that failed")
        },
    ]

    private static let ending: [ContractCase] = [
        ContractCase("What is asked of a session that has ended is an error") { subject in
            let session = try subject.engine.session()
            _ = try session.countRows(subject.fetch("Tag"))
            try session.end()
            try session.end()
            let refused = NSPersistentStoreOperationError
            let fetch = try subject.fetch("Tag")
            subject.failure(of: "A count", code: refused) { _ = try session.countRows(fetch) }
            subject.failure(of: "A fetch", code: refused) { try session.fetchRows(fetch, into: RowCollector()) }
            subject.failure(of: "A fetch of references", code: refused) { _ = try session.fetchReferences(fetch) }
            subject.failure(of: "A read", code: refused) { _ = try weight(subject, session) }
            subject.failure(of: "A read of members", code: refused) {
                _ = try subject.inSession(session) { try subject.members("books", of: "Author", subject["ada"]) }
            }
            subject.failure(of: "A save", code: refused) { try addTag(session) }
            subject.expect(try subject.count("Tag"), is: 4, "tags")
        }
    ]

    /// Runs `body` on another thread.
    static func elsewhere(_ body: @escaping @Sendable () -> Void) -> DispatchSemaphore {
        let done = DispatchSemaphore(value: 0)
        Thread {
            body()
            done.signal()
        }.start()
        return done
    }

    static func waits(_ done: DispatchSemaphore) -> Bool { done.wait(timeout: .now() + 0.05) == .timedOut }

    static func ends(_ done: DispatchSemaphore) -> Bool { done.wait(timeout: .now() + 20) == .success }

    private static let excluding: [ContractCase] = [
        ContractCase("An engine without the ability refuses exclusive sessions", lacks: .exclusiveWrites) { subject in
            subject.failure(of: "An exclusive session", code: NSPersistentStoreUnsupportedRequestTypeError) {
                _ = try subject.engine.exclusiveSession()
            }
        },
        ContractCase("Others write when an exclusive session has saved", needs: .exclusiveWrites) { subject in
            let session = try subject.engine.exclusiveSession()
            let engine = subject.engine
            subject.expect(try session.countRows(subject.fetch("Tag")), is: 4, "tags at the beginning")
            let done = elsewhere { _ = try? addTag(try engine.session(), "other") }
            let waited = waits(done)
            subject.expect(waited, "Another thread has written meanwhile.")
            subject.expect(try session.countRows(subject.fetch("Tag")), is: 4, "tags meanwhile")
            try addTag(session)
            try session.end()
            subject.expect(!waited || ends(done), "Another thread still waits.")
            subject.expect(try subject.count("Tag"), is: 6, "tags")
        },
        ContractCase("Others write when an exclusive session has ended", needs: .exclusiveWrites) { subject in
            let session = try subject.engine.exclusiveSession()
            let engine = subject.engine
            let done = elsewhere { _ = try? addTag(try engine.session(), "other") }
            let waited = waits(done)
            subject.expect(waited, "Another thread has written meanwhile.")
            try session.end()
            subject.expect(!waited || ends(done), "Another thread still waits.")
            subject.expect(try subject.count("Tag"), is: 5, "tags")
        },
        ContractCase("Others read during an exclusive session", needs: .exclusiveWrites) { subject in
            let session = try subject.engine.exclusiveSession()
            let engine = subject.engine
            let fetch = Unshared(try subject.fetch("Tag"))
            let count = Locked<Int?>(nil)
            let done = elsewhere {
                let found = try? engine.session().countRows(fetch.value)
                count.withLock { $0 = found }
            }
            subject.expect(ends(done), "Another thread still waits.")
            subject.expect(count.withLock { $0 }, is: 4, "tags")
            try session.end()
        },
        ContractCase("A save that fails leaves an exclusive session as it was", needs: .exclusiveWrites) { subject in
            let session = try subject.engine.exclusiveSession()
            let red = try subject.present("red")
            subject.failure(of: "A save of an old version") {
                try subject.inSession(session) { _ = try subject.save { $0.update(red, ["weight": 5], version: 7) } }
            }
            let engine = subject.engine
            let done = elsewhere { _ = try? addTag(try engine.session(), "other") }
            let waited = waits(done)
            subject.expect(waited, "Another thread has written meanwhile.")
            try addTag(session)
            try session.end()
            subject.expect(!waited || ends(done), "Another thread still waits.")
            subject.expect(try subject.count("Tag"), is: 6, "tags")
        },
        ContractCase("An exclusive session may save again", needs: .exclusiveWrites) { subject in
            let session = try subject.engine.exclusiveSession()
            for number in 1...3 {
                try addTag(session, "new \(number)")
                subject.expect(try session.countRows(subject.fetch("Tag")), is: 4 + number, "tags")
            }
            try session.end()
            subject.expect(try subject.count("Tag"), is: 7, "tags")
        },
        ContractCase("Exclusive sessions of one thread are nested", needs: .exclusiveWrites) { subject in
            let outer = try subject.engine.exclusiveSession()
            let inner = try subject.engine.exclusiveSession()
            try addTag(inner, "inner")
            try inner.end()
            try addTag(outer)
            try outer.end()
            let engine = subject.engine
            subject.expect(
                ends(elsewhere { _ = try? addTag(try engine.session(), "other") }), "Another thread still waits.")
            subject.expect(try subject.count("Tag"), is: 7, "tags")
        },
        ContractCase("Keys that an exclusive session sets aside stay so", needs: .exclusiveWrites) { subject in
            let session = try subject.engine.exclusiveSession()
            let reserved = try subject.engine.reserveKeys(count: 3, of: Bookshop.layout("Tag"))
            try session.end()
            let key = try subject.insert("Tag", ["word": "after"]).key
            subject.expect(!reserved.contains(key), "A key was given twice: \(key)")
        },
        ContractCase("Exclusive sessions of several threads lose nothing", needs: .exclusiveWrites) { subject in
            let row = try subject.insert("Sample", ["int": 0])
            let engine = subject.engine
            let failures = Locked(0)
            DispatchQueue.concurrentPerform(iterations: 4) { _ in
                for _ in 0..<5 {
                    do {
                        let session = try engine.exclusiveSession()
                        defer { try? session.end() }
                        let collector = RowCollector()
                        try session.readRows(keys: [row.key], of: Bookshop.layout("Sample"), into: collector)
                        guard let found = collector.rows.first, let number = found.number("int") else { continue }
                        let builder = SaveBuilder()
                        builder.update(found, ["int": Int(number) + 1])
                        _ = try withExtendedLifetime(builder) { try session.save(builder.changes) }
                    } catch {
                        failures.withLock { $0 += 1 }
                    }
                }
            }
            subject.expect(failures.withLock { $0 }, is: 0, "writes that failed")
            subject.expect(try subject.present(row).number("int"), is: 20, "number")
        },
    ]

    /// A value that one thread at a time uses.
    private struct Unshared<Value>: @unchecked Sendable {
        let value: Value
        init(_ value: Value) { self.value = value }
    }
}
