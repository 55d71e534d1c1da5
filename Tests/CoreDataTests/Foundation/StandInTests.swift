import CoreData
import Foundation
import Testing

@Suite("Stand-ins for Foundation")
struct StandInTests {
    @Test("Index paths have a section and an item or row")
    func indexPaths() {
        var path = IndexPath(item: 3, section: 1)
        #expect(path == IndexPath(indexes: [1, 3]))
        #expect(path == IndexPath(row: 3, section: 1))
        #expect((path.section, path.item, path.row) == (1, 3, 3))
        path.section = 2
        path.row = 5
        #expect(path == IndexPath(row: 5, section: 2))
        #expect(IndexPath(row: 9, section: 0) < IndexPath(row: 0, section: 1))
    }

    @Test("Sets can be written as array literals")
    func setLiterals() {
        let set: NSSet = ["a", "b", "a"]
        #expect(set.count == 2)
        let mutable: NSMutableSet = [1]
        mutable.add(2)
        #expect(mutable.count == 2)
    }

    @Test("autoreleasepool returns and throws what its closure does")
    func pool() {
        #expect(autoreleasepool { 5 } == 5)
        #expect(throws: CocoaError.self) {
            try autoreleasepool { throw CocoaError(.fileNoSuchFile) }
        }
    }
}
