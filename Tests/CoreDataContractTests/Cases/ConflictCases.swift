import CoreDataRowStorage
import Foundation

/// Saves that meet what another writer has done, and uniqueness constraints.
enum ConflictCases {
    static let all: [ContractCase] = Way.allCases.flatMap(versions) + several + unique

    /// How a save can be about a row that another writer has changed.
    private enum Way: CaseIterable, Sendable {
        case update, delete, lock

        func add(_ row: StoredRow, to save: SaveBuilder) {
            switch self {
            case .update: save.update(row, ["title": "mine"])
            case .delete: save.delete(row)
            case .lock: save.lock(row)
            }
        }
    }

    private static func versions(_ way: Way) -> [ContractCase] {
        [
            ContractCase("\(way) of a row that another writer has changed is a conflict") { subject in
                let known = try subject.present("b2")
                try subject.saveBeside { $0.update(known, ["title": "theirs"]) }
                let conflicts = subject.conflicts { way.add(known, to: $0) }
                subject.expect(conflicts?.changed.map(\.key), is: [known.key], "conflicting rows")
                guard let changed = conflicts?.changed.first else { return }
                subject.expect(changed.knownVersion, is: 1, "known version")
                subject.expect(changed.layout.name, is: "Novel", "entity")
                guard let current = changed.current else { return subject.expect(false, "The present row is missing") }
                let row = StoredRow(known.reference, changed.layout, current.row, current.slab)
                subject.expect(row.text("title"), is: "theirs", "title")
                subject.expect(row.version, is: 2, "version")
                subject.expect(try subject.present("b2").text("title"), is: "theirs", "title in the store")
            },
            ContractCase("\(way) of a row that another writer has deleted is a conflict") { subject in
                let known = try subject.present("b6")
                try subject.saveBeside { $0.delete(known) }
                let conflicts = subject.conflicts { way.add(known, to: $0) }
                subject.expect(conflicts?.changed.map(\.key), is: [known.key], "conflicting rows")
                subject.expect(conflicts?.changed.first?.current == nil, "A row that is gone is told")
                subject.expect(try subject.row(known.reference)?.key, is: nil, "row")
            },
            ContractCase("\(way) of a row with a version to come is a conflict") { subject in
                let known = try subject.present("b4")
                let conflicts = subject.conflicts { save in
                    switch way {
                    case .update: save.update(known, ["pages": 2], version: 9)
                    case .delete: save.delete(known, version: 9)
                    case .lock: save.lock(known, version: 9)
                    }
                }
                subject.expect(conflicts?.changed.map(\.key), is: [known.key], "conflicting rows")
                subject.expect(try subject.present("b4").number("pages"), is: 120, "pages")
            },
            ContractCase("Nothing of a save is written if \(way) is a conflict") { subject in
                let (known, other, gone) = (
                    try subject.present("b2"), try subject.present("b1"), try subject.present("d4")
                )
                try subject.saveBeside { $0.update(known, ["title": "theirs"]) }
                _ = subject.conflicts { save in
                    save.insert("Book", ["title": "lost"])
                    save.update(other, ["pages": 7])
                    save.delete(gone)
                    save.link(other.reference, "Book", "tags", add: [subject["blue"]])
                    way.add(known, to: save)
                }
                try subject.expectUntouched()
            },
            ContractCase("\(way) with the present version is written after a conflict") { subject in
                let known = try subject.present("b6")
                try subject.saveBeside { $0.update(known, ["pages": 401]) }
                _ = subject.conflicts { way.add(known, to: $0) }
                try subject.save { way.add(try subject.present("b6"), to: $0) }
                let row = try subject.row(subject["b6"])
                switch way {
                case .update: subject.expect(row?.text("title"), is: "mine", "title")
                case .delete: subject.expect(row?.key, is: nil, "row")
                case .lock: subject.expect(row?.version, is: 2, "version")
                }
            },
        ]
    }

    private static let several: [ContractCase] = [
        ContractCase("All conflicts of a save are told") { subject in
            let known = try ["b1", "b2", "b3", "b4"].map { try subject.present($0) }
            try subject.saveBeside { save in for row in known { save.update(row, ["pages": 1]) } }
            let conflicts = subject.conflicts { save in
                save.update(known[0], ["pages": 2])
                save.update(known[1], ["pages": 2])
                save.delete(known[2])
                save.lock(known[3])
            }
            subject.expect(
                (conflicts?.changed.map(\.key) ?? []).sorted(), is: known.map(\.key).sorted(), "conflicting rows")
        },
        ContractCase("All of many deletions that conflict are told") { subject in
            try subject.saveBeside { save in for number in 0..<40 { save.insert("Sample", ["int": number]) } }
            let known = try subject.rows(subject.fetch("Sample", sort: ["int"]))
            guard known.count == 40 else { throw Subject.Absent(name: "a row of 40") }
            try subject.saveBeside { save in
                save.update(known[3], ["int": -1])
                save.delete(known[30])
            }
            let conflicts = subject.conflicts { save in for row in known { save.delete(row) } }
            subject.expect(
                (conflicts?.changed.map(\.key) ?? []).sorted(), is: [known[3].key, known[30].key], "conflicting rows")
            subject.expect(try subject.count("Sample"), is: 39, "rows")
        },
        ContractCase("A to-one that ended with another's deletion is a conflict") { subject in
            let book = try subject.present("b1")
            try subject.saveBeside { $0.delete(try subject.present("ada")) }
            let conflicts = subject.conflicts { $0.update(book, ["pages": 5]) }
            subject.expect(conflicts?.changed.map(\.key), is: [book.key], "conflicting rows")
        },
        ContractCase("Two writers of different rows are none") { subject in
            let (b1, b2) = (try subject.present("b1"), try subject.present("b2"))
            try subject.saveBeside { $0.update(b1, ["pages": 1]) }
            try subject.save { $0.update(b2, ["pages": 2]) }
            subject.expect(try subject.present("b1").number("pages"), is: 1, "pages of b1")
            subject.expect(try subject.present("b2").number("pages"), is: 2, "pages of b2")
        },
        ContractCase("Of two saves at the same time one is a conflict") { subject in
            // Whoever is first: each thread adds 1 to what it knows, again after each conflict.
            let row = try subject.insert("Sample", ["int": 0])
            let engine = subject.engine
            DispatchQueue.concurrentPerform(iterations: 4) { _ in
                guard let session = try? engine.session() else { return }
                for _ in 0..<5 { _ = (0..<1000).contains { _ in increment(row, session) } }
            }
            subject.expect(try subject.present(row).number("int"), is: 20, "number")
            subject.expect(try subject.present(row).version, is: 21, "version")
        },
    ]

    /// Whether it was written, or cannot be.
    private static func increment(_ reference: RowReference, _ session: any StoreSession) -> Bool {
        let collector = RowCollector()
        do {
            session.renew()
            try session.readRows(keys: [reference.key], of: Bookshop.layout("Sample"), into: collector)
            guard let row = collector.rows.first, let number = row.number("int") else { return true }
            let builder = SaveBuilder()
            builder.update(row, ["int": Int(number) + 1])
            _ = try withExtendedLifetime(builder) { try session.save(builder.changes) }
            return true
        } catch is StoreConflicts {
            return false
        } catch {
            return true
        }
    }
}

extension Subject {
    /// The conflicts that a save meets. Anything else is a finding.
    func conflicts(_ fill: (SaveBuilder) throws -> Void) -> StoreConflicts? {
        guard let error = failure(of: "A save with conflicts", { try save(fill) }) else { return nil }
        if let conflicts = error as? StoreConflicts { return conflicts }
        expect(false, "A conflict is told as \(error)")
        return nil
    }

    /// Expects what the tests of failing saves try to write not to be there.
    func expectUntouched() throws {
        expect(try session.countRows(fetch("Book", "title == 'lost'")), is: 0, "new rows of a save that failed")
        expect(try present("b1").number("pages"), is: 100, "pages of a save that failed")
        expect(try present("b1").version, is: 1, "version after a save that failed")
        expect(try row(self["d4"])?.text("text"), is: "draft 4", "row that a failed save was to delete")
        expect(try members("tags", of: "Book", self["b1"]).sorted(), is: ["green", "red"], "tags of a failed save")
    }
}
