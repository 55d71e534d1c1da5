import CoreData
import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import Testing

/// Random edits, after each group of which three things must agree: the controller, a table kept from its callbacks
/// alone, and a fetch of its own.
@Suite("Fetched results under random edits")
struct RandomResultsTests {
    struct Setup: CustomTestStringConvertible {
        var seed: UInt64
        var hasSections: Bool
        var hasPredicate: Bool
        var testDescription: String { "seed \(seed), sections \(hasSections), predicate \(hasPredicate)" }
    }

    static let setups = (1...LongForm.choose(3, long: 6)).flatMap { seed in
        [(false, false), (true, false), (true, true)].map {
            Setup(seed: UInt64(seed), hasSections: $0.0, hasPredicate: $0.1)
        }
    }

    @Test("Controller, table and fetch agree", arguments: setups)
    func agreement(_ setup: Setup) throws {
        let library = try Library()
        try library.context.performAndWait {
            var random = SplitMix(state: setup.seed)
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            if setup.hasPredicate { request.predicate = NSPredicate(format: "inPrint == YES") }
            // The title makes the order complete, so that a fetch of its own must give the very same one.
            request.sortDescriptors = ["pages", "title"].map { NSSortDescriptor(key: $0, ascending: true) }
            let controller = NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: library.context,
                sectionNameKeyPath: setup.hasSections ? "pages" : nil, cacheName: nil)
            var books: [NSManagedObject] = []
            for _ in 0..<20 { books.append(book(in: library.context, &random)) }
            try controller.performFetch()
            let mirror = ResultsMirror()
            mirror.load(controller)
            controller.delegate = mirror
            for round in 0..<60 {
                for _ in 0..<Int.random(in: 1...6, using: &random) {
                    edit(&books, in: library.context, &random)
                }
                library.context.processPendingChanges()
                let expected = try library.context.fetch(request)
                // As texts, which say more than objects when a comparison fails.
                #expect(keys(controller.fetchedObjects ?? []) == keys(expected), "round \(round)")
                #expect(keys(mirror.rows.flatMap { $0 }) == keys(expected), "round \(round)")
                #expect((controller.fetchedObjects == expected) as Bool, "round \(round)")
                let sections = controller.sections ?? []
                #expect(mirror.rows.map(\.count) == sections.map(\.numberOfObjects), "round \(round)")
                if setup.hasSections {
                    let names = expected.map { "\(($0.value(forKey: "pages") as? Int) ?? -1)" }
                    #expect(sections.map(\.name) == names.uniqued, "round \(round)")
                }
                if round % 10 == 9 { try library.context.save() }
            }
        }
    }

    private func keys(_ books: [NSManagedObject]) -> [String] {
        books.map { "\($0.value(forKey: "pages") ?? "nil") \($0.value(forKey: "title") ?? "nil")" }
    }

    private func book(in context: NSManagedObjectContext, _ random: inout SplitMix) -> NSManagedObject {
        context.insert(
            "Book",
            [
                "title": "\(UInt32.random(in: .min ... .max, using: &random))",
                "pages": Int.random(in: 0...5, using: &random), "inPrint": Bool.random(using: &random),
            ])
    }

    private func edit(_ books: inout [NSManagedObject], in context: NSManagedObjectContext, _ random: inout SplitMix) {
        let index = books.indices.randomElement(using: &random)
        switch (Int.random(in: 0...5, using: &random), index) {
        case (0, let index?) where books.count > 5: context.delete(books.remove(at: index))
        case (1, let index?): books[index].setValue(Int.random(in: 0...5, using: &random), forKey: "pages")
        case (2, let index?):
            books[index].setValue("\(UInt32.random(in: .min ... .max, using: &random))", forKey: "title")
        case (3, let index?): books[index].setValue(Bool.random(using: &random), forKey: "inPrint")
        case (4, let index?): books[index].setValue(UUID(), forKey: "isbn")
        default: books.append(book(in: context, &random))
        }
    }
}

/// A small generator with a seed, so that a failure can be repeated.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

extension Array where Element: Equatable {
    /// The elements without repetitions next to each other.
    fileprivate var uniqued: [Element] {
        enumerated().filter { $0.offset == 0 || self[$0.offset - 1] != $0.element }.map(\.element)
    }
}
