import CoreData
import CoreDataSystemCallFaults
import Foundation

/// One attempt to work with a store of which a system call fails.
final class Trial {
    static var options: [AnyHashable: Any] {
        [NSPersistentHistoryTrackingKey: true as NSNumber, NSPersistentStoreTimeoutOption: 0.02]
    }

    private let url: URL
    private let number: Int
    private let before: [String]
    /// What the store shows after ``change(_:)`` was saved.
    private let changed: [String]
    private let wrong: (String) -> Void
    /// How often an error was told.
    private(set) var errors = 0

    init(
        _ url: URL, _ number: Int, before: [String], changed: [String], _ wrong: @escaping (String) -> Void
    ) {
        self.url = url
        self.number = number
        (self.before, self.changed) = (before, changed)
        self.wrong = wrong
    }

    /// True once the call that is to fail has been made.
    private var hasFailed: Bool { faults_count() >= number }

    static func close(_ context: NSManagedObjectContext) throws {
        guard let coordinator = context.persistentStoreCoordinator else { return }
        context.performAndWait { context.reset() }
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    /// What a store shows to who opens it now.
    static func picture(_ url: URL) throws -> [String] {
        let context = try Ledger.context(url, options: options)
        defer { try? close(context) }
        return try context.performAndWait { try Question.all.map { try $0.ask(context) } }
    }

    // MARK: Work

    /// Does the work with all calls in order.
    func count(_ work: String, _ begin: () -> Void) throws {
        if work == "open" { begin() }
        let context = try Ledger.context(url, options: Self.options)
        defer { try? Self.close(context) }
        if work != "open" { begin() }
        try context.performAndWait {
            if work == "edit" {
                try Self.change(context)
                try context.save()
            } else {
                for question in Question.all { _ = try question.ask(context) }
            }
        }
    }

    /// Opens the store, and asks everything.
    func open(_ begin: () -> Void) throws {
        begin()
        let context: NSManagedObjectContext
        do {
            context = try Ledger.context(url, options: Self.options)
        } catch {
            note(error)
            faults_arm("", 0, 0)
            context = try Ledger.context(url, options: Self.options)
        }
        defer { try? Self.close(context) }
        try ask(context)
    }

    /// Asks everything of an open store.
    func read(_ begin: () -> Void) throws {
        let context = try Ledger.context(url, options: Self.options)
        defer { try? Self.close(context) }
        begin()
        try ask(context)
    }

    private func ask(_ context: NSManagedObjectContext) throws {
        try context.performAndWait {
            for (question, expected) in zip(Question.all, before) {
                do {
                    let answer = try question.ask(context)
                    if let error = context.readError {
                        note(error)
                    } else if answer != expected {
                        wrong("\(question.name) answers \(answer), not \(expected)")
                    }
                } catch {
                    note(error)
                }
                guard hasFailed else { continue }
                // The disk works again.
                faults_arm("", 0, 0)
                context.takeReadError()
                if let error = context.readError { wrong("after \(question.name) there is still \(error)") }
                for (question, expected) in zip(Question.all, before) {
                    let answer = try question.ask(context)
                    if answer != expected { wrong("later \(question.name) answers \(answer), not \(expected)") }
                }
                return
            }
        }
    }

    /// Edits objects and saves; again when the disk works.
    func edit(_ begin: () -> Void) throws {
        let context = try Ledger.context(url, options: Self.options)
        begin()
        var isSaved = false
        try context.performAndWait {
            do {
                try Self.change(context)
                try context.save()
                isSaved = true
            } catch {
                note(error)
            }
            faults_arm("", 0, 0)
            guard !isSaved else { return }
            let stored = try Self.picture(url)
            if stored != before { wrong("a save that failed left \(stored)") }
            // What could not be read was not changed.
            context.rollback()
            try Self.change(context)
            try context.save()
        }
        try Self.close(context)
        let after = try Self.picture(url)
        if after != changed { wrong("saved \(isSaved ? "at once" : "later"), the store shows \(after)") }
    }

    /// Moves entries, deletes an account, and changes values and the order of pages.
    static func change(_ context: NSManagedObjectContext) throws {
        let accounts = try Ledger.all("Account", context, sortedBy: "name")
        for entry in accounts[1].value(forKey: "entries") as? Set<NSManagedObject> ?? [] {
            entry.setValue(accounts[0], forKey: "account")
        }
        context.delete(accounts[1])
        accounts[0].setValue(7, forKey: "balance")
        let pages = try Ledger.all("Journal", context)[0].mutableOrderedSetValue(forKey: "pages")
        if pages.count > 0 { pages.removeObject(at: 0) }
        let label = try Ledger.all("Label", context, where: "word == 'red'")[0]
        for entry in label.value(forKey: "entries") as? Set<NSManagedObject> ?? [] {
            entry.setValue("red", forKey: "text")
        }
    }

    private func note(_ error: any Error) {
        errors += 1
        let error = error as NSError
        if ![NSCocoaErrorDomain, NSSQLiteErrorDomain].contains(error.domain) { wrong("the error is \(error)") }
    }
}
