import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// Lines take long to look up. So this waits until findings are asked for, and what is recorded is not delayed by it.
@Suite("Look-ups of lines", .enabled(if: Instruments.CodePath.areKnown))
struct LookUpTests {
    private let library: Library
    private let context: NSManagedObjectContext

    init() throws {
        library = try Library(store: .sqlite)
        context = library.makeContext()
        let writer = library.context
        try writer.performAndWait {
            for number in 0..<30 { writer.insert("Author", ["name": "A", "rating": Double(number)]) }
            try writer.save()
        }
    }

    /// Filters in memory, and reads relationships one by one.
    ///
    /// - Returns: the calls that led here, innermost first.
    @inline(never)
    private func makeMistakes() throws -> [UInt] {
        let authors = try context.fetchAll("Author")
        let good = authors.filter { ($0.value(forKey: "rating") as? Double ?? 0) > 10 }
        #expect(good.count == 19)
        for author in authors { _ = (author.value(forKey: "books") as? NSSet)?.count }
        return Instruments.CodePath.capture().addresses
    }

    private static let mistakes: [Instruments.Finding.Kind] = [.filterInMemory, .repeatedRelationshipFault]

    /// - Parameters:
    ///   - inner: the calls that led to where the mistakes were made.
    ///   - outer: the calls that led to the function that called it.
    private func check(_ recording: Instruments.Recording, _ inner: [UInt], _ outer: [UInt]) throws {
        // The call of `makeMistakes` is in no other test, so that those that run meanwhile do not look it up.
        let common = zip(inner.reversed(), outer.reversed()).prefix { $0 == $1 }.count
        let call = inner[inner.count - common - 1]
        #expect(common > 2 && !Symbolicator.shared.knows(call))
        #expect(recording.findings.map(\.kind) == Self.mistakes)
        #expect(Symbolicator.shared.knows(call))
        #expect(Symbolicator.shared.names(of: [call]).first?.contains("LooksNothingUp") == true)
        // They are the same when they are asked for again, and none has an unknown place.
        #expect(recording.findings == recording.findings && recording.findings.allSatisfy { $0.place != nil })
    }

    @Test func aRecordingLooksNothingUp() throws {
        let ((inner, outer), recording) = try Instruments.recordResult {
            try context.performAndWait { (try makeMistakes(), Instruments.CodePath.capture().addresses) }
        }
        try check(recording, inner, outer)
    }

    @Test func aRecordingOfATaskLooksNothingUp() async throws {
        let ((inner, outer), recording) = try await Instruments.recordResult {
            try await context.perform { (try makeMistakes(), Instruments.CodePath.capture().addresses) }
        }
        try check(recording, inner, outer)
    }

    /// The alarm is the process's, so the test is a process of its own.
    @Test func anAlarmThatCollectsLooksNothingUp() async {
        await #expect(processExitsWith: .success) {
            let test = try LookUpTests()
            Instruments.startAlarm(.collect)
            let path = try test.context.performAndWait { try test.makeMistakes() }
            precondition(!path.contains { Symbolicator.shared.knows($0) })
            let findings = Instruments.findings
            precondition(findings.map(\.kind) == LookUpTests.mistakes && findings.allSatisfy { $0.place != nil })
            precondition(findings.map(\.repetitions) == [1, 30])
            // The numbers go on where they were asked for in between.
            for _ in 0..<2 {
                try test.context.performAndWait {
                    test.context.reset()
                    _ = try test.makeMistakes()
                }
            }
            precondition(Instruments.stopAlarm().map(\.repetitions) == [3, 90])
        }
    }
}
