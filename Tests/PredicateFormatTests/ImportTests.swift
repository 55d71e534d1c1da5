import Foundation
import PredicateFormat
import Testing

// A file that imports Foundation too: the shared names must not be ambiguous. (Foundation comes first here, so only
// names without a deprecation warning are used; with the imports the other way round there is none for any.)
@Suite struct ImportTests {
    private func count(_ predicate: NSPredicate, _ sort: NSSortDescriptor) -> Int {
        predicate.hash == sort.hash ? 0 : 1
    }

    @Test func bothImports() {
        let compound: NSCompoundPredicate = NSCompoundPredicate(andPredicateWithSubpredicates: [
            NSPredicate(format: "a == 1")
        ])
        #expect(count(compound, NSSortDescriptor(key: "a", ascending: true)) == 1)
        #expect(NSPredicate(format: "a == %@", "x").evaluate(with: ["a": "x"]))
    }
}
