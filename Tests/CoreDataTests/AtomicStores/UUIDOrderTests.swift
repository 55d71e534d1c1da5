import CoreData
import Foundation
import Testing

/// UUIDs before and after one another: by their bytes, as SQLite orders them, as results are sorted by them, and as
/// Apple's page of `NSUUID.compare(_:)` says.
@Suite struct UUIDOrderTests {
    private static let codes = [
        "00000000-0000-0000-0000-000000000001", "0F000000-0000-0000-0000-000000000000",
        "7FFFFFFF-0000-0000-0000-000000000000", "80000000-0000-0000-0000-000000000000",
        "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
    ]

    @Test(arguments: KindOfStore.builtIn, [true, false])
    func comparisonsFollowTheSortOrder(_ kind: KindOfStore, isSaved: Bool) throws {
        let store = try EveryStore(kind)
        try store.context.performAndWait {
            for (number, code) in Self.codes.enumerated().reversed() {
                let thing = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: store.context)
                thing.setValue("\(number)", forKey: "name")
                thing.setValue(UUID(uuidString: code), forKey: "code")
            }
            let nameless = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: store.context)
            nameless.setValue("without", forKey: "name")
            if isSaved {
                try store.context.save()
                store.context.reset()
            }
            let middle = try #require(UUID(uuidString: Self.codes[2]))
            let last = try #require(UUID(uuidString: Self.codes[3]))
            let cases: [(String, [Any], [Int])] = [
                ("code < %@", [middle], [0, 1]), ("code <= %@", [middle], [0, 1, 2]), ("code > %@", [middle], [3, 4]),
                ("code >= %@", [middle], [2, 3, 4]), ("%@ < code", [middle], [3, 4]),
                ("code BETWEEN %@", [[middle, last]], [2, 3]), ("code > %@", [Self.codes[2]], [3, 4]),
                ("NOT code < %@ AND code != nil", [middle], [2, 3, 4]),
            ]
            for (format, arguments, expected) in cases {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
                request.predicate = NSPredicate(format: format, argumentArray: arguments)
                request.sortDescriptors = [NSSortDescriptor(key: "code", ascending: true)]
                let names = try store.context.fetch(request).map { $0.value(forKey: "name") as? String }
                #expect(names == expected.map { "\($0)" }, "\(format)")
            }
        }
    }
}
