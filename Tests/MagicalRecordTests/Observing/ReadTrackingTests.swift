import MagicalRecord
import MagicalRecordTesting
import Observation
import Testing

/// A class with reads that `withObservationTracking` sees.
final class Gauge: NSManagedObject {
    #if canImport(ObjectiveC)
    @NSManaged var title: String?
    @NSManaged var level: Int64
    @NSManaged var parent: Gauge?
    @NSManaged var children: Set<Gauge>
    #endif

    static func model() -> NSManagedObjectModel {
        let gauge = Build.entity("Gauge", class: Gauge.self)
        gauge.properties = [
            Build.attribute("title", .stringAttributeType),
            Build.attribute("level", .integer64AttributeType, default: 0),
        ]
        Build.inverse(
            Build.relationship("parent", of: gauge, to: gauge),
            Build.relationship("children", of: gauge, to: gauge, many: true))
        return Build.model(gauge)
    }
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension Gauge: Observable {}

#if !canImport(ObjectiveC)
private let titleProperty = ManagedProperty("title")
private let levelProperty = ManagedProperty("level")
private let parentProperty = ManagedProperty("parent")
private let childrenProperty = ManagedProperty("children")

extension Gauge {
    var title: String? {
        get { managedValue(titleProperty) }
        set { setManagedValue(newValue, for: titleProperty) }
    }
    var level: Int64 {
        get { managedValue(levelProperty) }
        set { setManagedValue(newValue, for: levelProperty) }
    }
    var parent: Gauge? {
        get { managedValue(parentProperty) }
        set { setManagedValue(newValue, for: parentProperty) }
    }
    var children: Set<Gauge> {
        get { managedValue(childrenProperty) }
        set { setManagedValue(newValue, for: childrenProperty) }
    }
}
#endif

/// Counts the calls of one tracking's `onChange`.
private final class Calls: @unchecked Sendable {
    private let lock = NSLock()
    private var calls = 0

    var count: Int { lock.withLock { calls } }

    func note() { lock.withLock { calls += 1 } }
}

/// `withObservationTracking` over objects of classes that conform to `Observable`.
@Suite("Tracked reads", .testStack(.model(Gauge.model())), .timeLimit(.minutes(5)))
struct ReadTrackingTests {
    let stack: MagicalRecord.Stack
    let context: NSManagedObjectContext

    init() throws {
        stack = try #require(MagicalRecord.defaultStack)
        try stack.saveAndWait { context in
            for number in 1...2 {
                let gauge = try Gauge.create(in: context)
                (gauge.title, gauge.level) = ("Gauge \(number)", Int64(number))
            }
        }
        context = stack.newFollowingContext(named: "tracked")
    }

    /// Runs a closure with the two gauges on the context's queue.
    private func withGauges<Result: Sendable>(
        _ body: @escaping @Sendable (Gauge, Gauge) throws -> Result
    ) async throws -> Result {
        try await context.perform { [context] in
            let gauges = try Gauge.findAll(sortedBy: \.level, in: context)
            return try body(#require(gauges.first), #require(gauges.last))
        }
    }

    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
    private static func track(_ read: () -> Void) -> Calls {
        let calls = Calls()
        withObservationTracking(read) { calls.note() }
        return calls
    }

    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
    @Test("A change of the property that was read is reported once, with the new value")
    func reports() async throws {
        try await withGauges { gauge, other in
            let context = try #require(gauge.managedObjectContext)
            let calls = Self.track { _ = gauge.tracked(\.title) }
            gauge.level = 5
            other.title = "Other"
            context.processPendingChanges()
            #expect(calls.count == 0)
            gauge.title = "First"
            gauge.title = "Second"
            context.processPendingChanges()
            #expect(calls.count == 1)
            #expect(gauge.title == "Second")
            gauge.title = "Third"
            context.processPendingChanges()
            #expect(calls.count == 1)
        }
    }

    /// What has changed is reported although a handler changes the same object meanwhile.
    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
    @Test("Handlers may change objects")
    func handlersThatChangeObjects() async throws {
        try await withGauges { first, second in
            let context = try #require(first.managedObjectContext)
            let calls = Calls()
            for (gauge, other) in [(first, second), (second, first)] {
                // Handlers are called on the context's queue.
                nonisolated(unsafe) let other = other
                withObservationTracking {
                    _ = gauge.tracked(\.level)
                } onChange: {
                    calls.note()
                    other.title = "changed"
                }
            }
            (first.level, second.level) = (7, 8)
            context.processPendingChanges()
            #expect(calls.count == 2)
        }
    }

    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
    @Test("Relationships are reported, from either end")
    func relationships() async throws {
        try await withGauges { gauge, other in
            let parent = Self.track { _ = gauge.tracked(\.parent) }
            let children = Self.track { _ = other.tracked(\.children) }
            let title = Self.track { _ = other.tracked(\.title) }
            other.children = [gauge]
            gauge.managedObjectContext?.processPendingChanges()
            #expect(parent.count == 1)
            #expect(children.count == 1)
            #expect(title.count == 0)
        }
    }

    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
    @Test("Rollback, refresh and deletion are changes")
    func otherCauses() async throws {
        try await withGauges { gauge, other in
            let context = try #require(gauge.managedObjectContext)
            gauge.title = "Unsaved"
            context.processPendingChanges()
            let rollback = Self.track { _ = gauge.tracked(\.title) }
            context.rollback()
            #expect(rollback.count == 1)
            let refresh = Self.track { _ = gauge.tracked(\.title) }
            context.refresh(gauge, mergeChanges: false)
            context.processPendingChanges()
            #expect(refresh.count == 1)
            let deletion = Self.track { _ = other.tracked(\.title) }
            context.delete(other)
            context.processPendingChanges()
            #expect(deletion.count == 1)
        }
    }

    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
    @Test("A merged save is a change")
    func merges() async throws {
        let (calls, kept) = try await withGauges { gauge, _ in
            (Self.track { _ = gauge.tracked(\.title) }, Kept(gauge))
        }
        try await stack.save { context in
            try Gauge.findFirst(where: \.level == 1, in: context)?.title = "Elsewhere"
        }
        for _ in 0..<400 where calls.count == 0 { try await Task.sleep(nanoseconds: 5_000_000) }
        #expect(calls.count == 1)
        withExtendedLifetime(kept) {}
    }

    /// Objects that nothing retains are not reported by their context.
    private final class Kept: @unchecked Sendable {
        let object: NSManagedObject

        init(_ object: NSManagedObject) { self.object = object }
    }

    @Test("Values of such a class are set, saved and read as those of others")
    func values() async throws {
        try await withGauges { gauge, other in
            let context = try #require(gauge.managedObjectContext)
            (gauge.title, gauge.level, gauge.parent) = ("Réaumur, a longer text than fits in place", -7, other)
            gauge.setValue(8, forKey: "level")
            try context.save()
            context.refreshAllObjects()
            #expect(gauge.title == "Réaumur, a longer text than fits in place")
            #expect(gauge.level == 8)
            #expect(gauge.parent === other)
            #expect(other.children == [gauge])
            gauge.title = nil
            #expect(gauge.title == nil)
            #expect(gauge.changedValues().keys.sorted() == ["title"])
        }
    }

    #if !canImport(ObjectiveC)
    @Test("Off Apple's platforms, plain reads are tracked, by accessors and by key")
    func plainReads() async throws {
        try await withGauges { gauge, other in
            let context = try #require(gauge.managedObjectContext)
            // Twice: the first read through an accessor finds its place, later ones use it.
            for round in 1...2 {
                let reads = [
                    Self.track { _ = gauge.title }, Self.track { _ = gauge.level }, Self.track { _ = gauge.parent },
                    Self.track { _ = gauge.children }, Self.track { _ = gauge.value(forKey: "title") },
                ]
                other.title = "Round \(round)"
                context.processPendingChanges()
                #expect(reads.map(\.count) == [0, 0, 0, 0, 0])
                gauge.level += 10
                context.processPendingChanges()
                #expect(reads.map(\.count) == [0, 1, 0, 0, 0])
                gauge.title = "Title \(round)"
                gauge.parent = round == 1 ? other : nil
                gauge.children = round == 1 ? [other] : []
                context.processPendingChanges()
                #expect(reads.map(\.count) == [1, 1, 1, 1, 1])
            }
        }
    }

    @Test("A fault that a tracked read fulfils is tracked too")
    func faults() async throws {
        try await withGauges { gauge, _ in
            let context = try #require(gauge.managedObjectContext)
            context.refresh(gauge, mergeChanges: false)
            context.processPendingChanges()
            let calls = Self.track { #expect(gauge.title == "Gauge 1") }
            gauge.title = "Changed"
            context.processPendingChanges()
            #expect(calls.count == 1)
        }
    }
    #endif
}

#if !canImport(ObjectiveC)
/// Classes that do not conform to `Observable` are not tracked, as ``ReadTrackingTests`` shows those that do are.
@Suite("Reads that are not tracked", .addressBook)
struct UntrackedReadTests {
    @Test("Classes that do not ask for it are not tracked")
    func untracked() async throws {
        let stack = try #require(MagicalRecord.defaultStack)
        try AddressBook.fill(stack)
        let context = stack.newContext()
        let calls = Calls()
        try await context.perform {
            let user = try User.findFirst(where: \.userID == 1, in: context)
            withObservationTracking {
                _ = user?.displayName
            } onChange: {
                calls.note()
            }
            user?.displayName = "Anna"
            context.processPendingChanges()
        }
        #expect(calls.count == 0)
    }
}
#endif
