import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// Contexts with a queue that a program uses on its own thread all the same, which goes well with Apple's Core Data as long as
/// it is one thread: saves of their parents do not touch them on their queues.
@Suite("Children used without their queues") struct UnqueuedChildConcurrencyTests {
    private let library: Library
    private let parent: NSManagedObjectContext
    private let child: NSManagedObjectContext

    init() throws {
        library = try Library(LibraryModel.make(), store: .memory)
        parent = library.context
        child = library.makeChild()
    }

    @Test func savesOfTheParentGoOnBesideThem() throws {
        for round in 0..<500 {
            parent.insert("Author", ["name": "parent \(round)"])
            try parent.save()
            let author = child.insert("Author", ["name": "child \(round)"])
            #expect(author.value(forKey: "name") as? String == "child \(round)")
            if round % 100 == 99 {
                #expect(try child.fetchAll("Author").count == 2 * (round + 1))
                try child.save()
                child.reset()
            }
        }
    }

    /// They learn what has become of IDs when they turn to their parent.
    @Test func permanentIDsArriveWithTheNextFetch() throws {
        let author = child.insert("Author", ["name": "Ann"])
        try child.save()
        try parent.save()
        #expect(author.objectID.isTemporaryID)
        _ = try child.fetchAll("Author")
        #expect(!author.objectID.isTemporaryID)
    }

    /// From the first block on they are told on their queue, of what was waiting as well.
    @Test func theFirstBlockReadsWhatIsWaiting() throws {
        let author = child.insert("Author", ["name": "Ann"])
        try child.save()
        try parent.save()
        #expect(child.performAndWait { !author.objectID.isTemporaryID })
        let another = child.performAndWait { child.insert("Author", ["name": "Bob"]) }
        try child.performAndWait { try child.save() }
        try parent.save()
        #expect(child.performAndWait { !another.objectID.isTemporaryID })
    }

    /// A child that is not used does not collect what its parent saves without end.
    @Test func mailIsBounded() throws {
        let authors = (0..<1000).map { parent.insert("Author", ["name": "\($0)"]) }
        for round in 0..<40 {
            for author in authors { author.setValue("\(round)", forKey: "name") }
            try parent.save()
        }
        child.executor.queue?.sync {}
        #expect(child.mailbox.take().count < 1 << 15)
    }
}
