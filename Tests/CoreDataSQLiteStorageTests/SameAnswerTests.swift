import CoreData
import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import Testing

/// A fetch by SQL and evaluation in memory select the same objects, for random objects and random predicates.
@Suite struct SameAnswerTests {
    private static func makeLibrary(seed: UInt64, people: Int) throws -> (SQLiteLibrary, RandomSource) {
        let library = try SQLiteLibrary(SameAnswerModel.make())
        var random = RandomSource(seed: seed)
        try SameAnswerModel.fill(library.context, &random, people: people)
        library.context.reset()
        return (library, random)
    }

    private static func all(_ entity: String, in library: SQLiteLibrary) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.sortDescriptors = [NSSortDescriptor(key: "serial", ascending: true)]
        return try library.context.fetch(request)
    }

    private static func serials(_ objects: [NSManagedObject]) -> [Int] {
        objects.compactMap { $0.value(forKey: "serial") as? Int }
    }

    /// How many objects both find.
    private func check(
        _ predicate: NSPredicate, on entity: String, _ objects: [NSManagedObject], in library: SQLiteLibrary
    ) throws -> Int {
        let format = predicate.node.predicateFormat
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = predicate
        request.sortDescriptors = [NSSortDescriptor(key: "serial", ascending: true)]
        let bySQL = Self.serials(try library.context.fetch(request))
        let inMemory = Self.serials(try objects.filter { try predicate.evaluateThrowing(with: $0) })
        #expect(bySQL == inMemory, "\(entity): \(format)")
        return bySQL.count
    }

    @Test(.slow, arguments: [1, 2, 3] as [UInt64])
    func randomPredicates(_ seed: UInt64) throws {
        let (library, random) = try Self.makeLibrary(seed: seed, people: 40)
        let people = try Self.all("Person", in: library)
        let workers = try Self.all("Worker", in: library)
        var generator = PredicateGenerator(
            random: random, people: people, places: try Self.all("Place", in: library))
        var (some, none) = (0, 0)
        for _ in 0..<LongForm.choose(150, long: 500) {
            let predicate = generator.predicate(depth: 2)
            let found =
                generator.random.below(4) == 0
                ? try check(predicate, on: "Worker", workers, in: library)
                : try check(predicate, on: "Person", people, in: library)
            if found > 0 { some += 1 } else { none += 1 }
        }
        // Predicates that find nothing, or everything, would prove little.
        #expect(some > none)
    }

    @Test func randomSorts() throws {
        let (library, start) = try Self.makeLibrary(seed: 9, people: 60)
        var random = start
        let keys =
            SameAnswerModel.optional.keys.sorted() + [
                "code", "born", "home.city", "home.height", "boss.name", "boss.home.city", "boss.seen",
            ]
        let strings: Set<String> = ["name", "note", "code", "home.city", "boss.name", "boss.home.city"]
        let selectors: [Selector] = [
            .compare, .caseInsensitiveCompare, .localizedCompare, .localizedCaseInsensitiveCompare,
            .localizedStandardCompare,
        ]
        let people = try Self.all("Person", in: library)
        for _ in 0..<150 {
            var descriptors = (0...random.below(2)).map { _ in
                let key = random.pick(keys)
                let selector = strings.contains(key) ? random.pick(selectors) : .compare
                return NSSortDescriptor(key: key, ascending: random.below(2) == 0, selector: selector)
            }
            descriptors.append(NSSortDescriptor(key: "serial", ascending: true))
            let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
            request.sortDescriptors = descriptors
            let bySQL = Self.serials(try library.context.fetch(request))
            let inMemory = NSArray(array: people).sortedArray(using: descriptors).compactMap { $0 as? NSManagedObject }
            #expect(bySQL == Self.serials(inMemory), "\(descriptors)")
        }
    }

    /// Ties are left in the order of the primary keys, which is the order of insertion.
    @Test func tiesKeepTheOrderOfKeys() throws {
        let (library, _) = try Self.makeLibrary(seed: 4, people: 30)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
        request.sortDescriptors = [NSSortDescriptor(key: "isOpen", ascending: true)]
        let first = Self.serials(try library.context.fetch(request))
        #expect(first == Self.serials(try library.context.fetch(request)))
        #expect(Set(first) == Set(0..<30))
    }
}

/// Where SQL and evaluation in memory differ, at Apple and here.
@Suite struct KnownDifferenceTests {
    private struct Answer: Equatable {
        var sql: [Int]
        var memory: [Int]
    }

    /// Three people: 0 has a name and a count, 1 has neither, 2 has another name; 2 has both as friends.
    private func answer(_ format: String) throws -> Answer {
        let library = try SQLiteLibrary(SameAnswerModel.make())
        let first = library.context.insert("Person", ["serial": 0, "name": "Ann", "count": 4])
        let second = library.context.insert("Person", ["serial": 1])
        library.context.insert("Person", ["serial": 2, "name": "Bob", "count": 1, "friends": Set([first, second])])
        try library.context.save()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
        request.sortDescriptors = [NSSortDescriptor(key: "serial", ascending: true)]
        let all = try library.context.fetch(request)
        request.predicate = NSPredicate(format: format)
        let found = try library.context.fetch(request)
        let kept = try all.filter { try NSPredicate(format: format).evaluateThrowing(with: $0) }
        return Answer(
            sql: found.compactMap { $0.value(forKey: "serial") as? Int },
            memory: kept.compactMap { $0.value(forKey: "serial") as? Int })
    }

    @Test func missingValuesDoNotDifferInSQL() throws {
        #expect(try answer("name != 'Ann'") == Answer(sql: [2], memory: [1, 2]))
        #expect(try answer("NOT (name == 'Ann')") == Answer(sql: [2], memory: [1, 2]))
    }

    @Test func missingValuesHaveNoOppositeInSQL() throws {
        #expect(try answer("NOT (count < 2)") == Answer(sql: [0], memory: [0, 1]))
        #expect(try answer("NOT (name IN {'Ann'})") == Answer(sql: [2], memory: [1, 2]))
        #expect(try answer("NOT (count BETWEEN {3, 5})") == Answer(sql: [2], memory: [1, 2]))
    }

    /// String operators are functions that answer 0 for NULL, so here both agree.
    @Test func stringOperatorsHaveAnOpposite() throws {
        #expect(try answer("NOT (name CONTAINS[c] 'a')") == Answer(sql: [1, 2], memory: [1, 2]))
    }

    @Test func averagesInSQLLeaveOutMissingValues() throws {
        #expect(try answer("friends.@avg.count == 4") == Answer(sql: [2], memory: []))
        #expect(try answer("friends.@avg.count == 2") == Answer(sql: [], memory: [2]))
        #expect(try answer("friends.@avg.count == 0") == Answer(sql: [0, 1], memory: [0, 1]))
    }

    @Test func twoMissingValuesAreNotEqualInSQL() throws {
        #expect(try answer("name == note") == Answer(sql: [], memory: [1]))
    }

    /// A prefix is sought as a range, which an index can serve.
    @Test func prefixesHaveNoOppositeInSQL() throws {
        #expect(try answer("NOT (name BEGINSWITH 'A')") == Answer(sql: [2], memory: [1, 2]))
        #expect(try answer("NOT (name BEGINSWITH[c] 'a')") == Answer(sql: [1, 2], memory: [1, 2]))
    }

    /// A path through a set leaves out what is missing, so in memory no element is nil.
    @Test func elementsMayBeMissingInSQL() throws {
        #expect(try answer("ANY friends.name == nil") == Answer(sql: [2], memory: []))
        #expect(try answer("ALL friends.name == 'Ann'") == Answer(sql: [0, 1, 2], memory: [0, 1, 2]))
    }
}
