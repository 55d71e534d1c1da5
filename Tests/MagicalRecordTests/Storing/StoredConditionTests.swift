import Foundation
import MagicalRecord
import MagicalRecordTestSupport
import Testing

/// Enumerations in conditions, orders and groups, without a conformance. The results were worked out by hand from the four jobs.
@Suite("Conditions on stored properties") struct StoredConditionTests {
    let stack: MagicalRecord.Stack
    let context: NSManagedObjectContext

    init() throws {
        stack = try StoredModel.stack()
        context = stack.newContext()
        try context.runAndWait {
            let team = try JobTeam.create(in: context) { ($0.mood, $0.progress) = (.wild, .done) }
            let progress: [JobProgress?] = [.done, .open, .doing, nil]
            for (index, progress) in progress.enumerated() {
                let number = Int64(index + 1)
                let job = try StoredJob.create(in: context)
                (job.number, job.mood) = (number, number == 1 ? .wild : .calm)
                if let progress { job.progress = progress }
                job.former = number < 3 ? .open : nil
                job.address = number == 2 ? JobAddress(street: "a", city: "b") : nil
                job.team = number == 3 ? team : nil
            }
            try context.save()
        }
    }

    private func numbers<Made: MagicalRecord.ConditionConvertible>(
        sourceLocation: SourceLocation = #_sourceLocation, _ make: (MagicalRecord.Columns<StoredJob>) -> Made
    ) throws -> [Int64] where Made.Root == StoredJob {
        let condition = MagicalRecord.Condition(make)
        return try context.runAndWait {
            let found = try StoredJob.findAll(where: condition, sortedBy: \.number, in: context)
            let predicate = try condition.nsPredicate()
            let evaluated = try StoredJob.findAll(sortedBy: \.number, in: context)
                .filter { predicate.evaluate(with: $0) }
            #expect(found == evaluated, "\(condition)", sourceLocation: sourceLocation)
            return found.map(\.number)
        }
    }

    @Test func closures() throws {
        // The fourth reads as open, which is not stored.
        #expect(try numbers { $0.progress == .open } == [2])
        #expect(try numbers { $0.progress != .open } == [1, 3, 4])
        #expect(try numbers { $0.progress.in([.open, .done]) } == [1, 2])
        #expect(try numbers { !$0.progress.in([.open, .done]) && $0.mood == .calm } == [3, 4])
        #expect(try numbers { $0.former == nil } == [3, 4])
        #expect(try numbers { $0.former != nil && $0.former != .done } == [1, 2])
        #expect(try numbers { $0.former.in([.open]) && ($0.progress == .done || $0.mood == .calm) } == [1, 2])
        #expect(try numbers { $0.team.mood == .wild && $0.team.progress == .done } == [3])
        #expect(try numbers { $0.team.progress != .done } == [1, 2, 4])
        #expect(try numbers { $0.address != nil } == [2])
        #expect(try numbers { $0.address == nil && $0.number > 3 } == [4])
    }

    @Test func keyPaths() throws {
        try context.runAndWait { () throws in
            #expect(try StoredJob.count(where: \.progress == .doing, in: context) == 1)
            #expect(try StoredJob.count(where: \.former == nil && \.mood != .wild, in: context) == 2)
            #expect(try StoredJob.count(where: \.former == .open, in: context) == 2)
        }
        #expect("\(\StoredJob.progress == .doing)" == "progress == 1")
        #expect("\(\StoredJob.mood == .wild)" == #"mood == "wild""#)
        #if !canImport(ObjectiveC)
        #expect("\(\StoredJob.team?.mood == .wild)" == #"team.mood == "wild""#)
        #endif
    }

    @Test func orders() throws {
        try context.runAndWait {
            let jobs = try StoredJob.findAll(where: \.number < 4, sortedBy: \.progress, .descending, in: context)
            #expect(jobs.map(\.number) == [1, 3, 2])
            let two = try StoredJob.findAll(sortedBy: [.ascending(\.mood), .descending(\.number)], in: context)
            #expect(two.map(\.number) == [4, 3, 2, 1])
        }
    }

    /// A group of objects without a value exists for an optional property only.
    @Test func groups() throws {
        let byProgress = try StoredJob.all.count(by: \.progress, in: context)
        #expect(byProgress.map(\.key) == [.open, .doing, .done] && byProgress.map(\.value) == [1, 1, 1])
        let byFormer = try StoredJob.all.sum(of: \.number, by: \.former, in: context)
        #expect(byFormer.map(\.key) == [nil, .open] && byFormer.map(\.value) == [7, 3])
        let both = try StoredJob.all.count(by: \.mood, \.number, in: context)
        #expect(both.map(\.key.0) == [.calm, .calm, .calm, .wild] && both.map(\.key.1) == [2, 3, 4, 1])
        #expect(try StoredJob.all.values(of: \.mood, distinct: true, in: context).count == 2)
        #expect(try StoredJob.all.maximum(of: \.number, by: \.mood, in: context).map(\.value) == [4, 1])
    }

    @Test func groupsOfAnUnknownRawValue() throws {
        try context.runAndWait {
            let job = try #require(try StoredJob.findFirst(where: \.number == 1, in: context))
            job.setValue(47, forKey: "progress")
            job.setValue(48, forKey: "former")
            try context.save()
        }
        let query = StoredJob.all
        let errors = [
            (47, #expect(throws: MagicalRecordError.self) { try query.count(by: \.progress, in: context) }),
            (47, #expect(throws: MagicalRecordError.self) { try query.values(of: \.progress, in: context) }),
            (48, #expect(throws: MagicalRecordError.self) { try query.count(by: \.former, in: context) }),
            (48, #expect(throws: MagicalRecordError.self) { try query.values(of: \.former, in: context) }),
        ]
        for (number, error) in errors {
            #expect(error?.code == .unconvertibleValue && error?.entity == "StoredJob")
            #expect(error?.message == "\(number) is not a value of JobProgress.")
            #expect(error?.advice == "Add a case, or correct the value.")
        }
    }

    @Test func batchUpdates() throws {
        try StoredJob.where { $0.progress == .open }.batchUpdate(
            .set(\.progress, to: .done), .set(\.former, to: nil), in: context)
        #expect(try numbers { $0.progress == .done } == [1, 2])
        #expect(try numbers { $0.former == .open } == [1])
    }

    /// A computed property is none of the entity's, even if it reads one.
    @Test func computedProperties() throws {
        for condition in [\StoredJob.isOpen == true, \StoredJob.team?.mood != nil && \StoredJob.isOpen == true] {
            #expect(throws: MagicalRecordError.self) { try condition.nsPredicate() }
        }
        #expect(throws: MagicalRecordError.self) { try (\StoredJob.opposite == .open).nsPredicate() }
    }
}
