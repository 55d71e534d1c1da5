import Foundation
import MagicalRecord
import MagicalRecordTestSupport
import Testing

/// Properties that are stored as raw values or as JSON.
@Suite("Stored properties") struct StoredTests {
    let stack: MagicalRecord.Stack
    let context: NSManagedObjectContext

    init() throws {
        stack = try StoredModel.stack()
        context = stack.newContext()
    }

    private func withJob<Result>(_ body: (StoredJob) throws -> Result) throws -> Result {
        try context.runAndWait { try body(try StoredJob.create(in: context)) }
    }

    @Test("read as the model's default, else as their initial value, which is not stored")
    func defaults() throws {
        try withJob { job in
            #expect(job.progress == .open && job.former == nil && job.address == nil && job.tags == ["new"])
            #expect(job.mood == .calm, "the model's default precedes the initial value")
            #expect(job.value(forKey: "progress") == nil && job.value(forKey: "tags") == nil)
        }
    }

    @Test("are stored as raw values and as JSON with sorted keys")
    func storedForms() throws {
        let address = JobAddress(street: "Main St 1", city: "Bern", since: Date(timeIntervalSinceReferenceDate: 0.5))
        try withJob { job in
            (job.progress, job.former, job.mood) = (.doing, .done, .wild)
            (job.address, job.textAddress, job.tags) = (address, address, ["a", "b"])
            #expect(job.value(forKey: "progress") as? Int == 1 && job.value(forKey: "former") as? Int == 2)
            #expect(job.value(forKey: "mood") as? String == "wild")
            // Dates are the seconds since 2001, as JSONEncoder writes them.
            let json = #"{"city":"Bern","since":0.5,"street":"Main St 1"}"#
            #expect(job.value(forKey: "text") as? String == json)
            #expect(job.value(forKey: "address") as? Data == Data(json.utf8))
            #expect(job.address == address && job.textAddress == address && job.tags == ["a", "b"])
        }
    }

    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    @Test("are stored as the members of a composite attribute")
    func composites() throws {
        let place = JobPlace(name: "Hall", isInside: true, floor: nil, since: Date(timeIntervalSinceReferenceDate: 7))
        try withJob { job in
            job.place = place
            let members = job.value(forKey: "place") as? [String: Any]
            #expect(members?["name"] as? String == "Hall" && members?["since"] as? Date == place.since)
            try context.save()
            context.refresh(job, mergeChanges: false)
            #expect(job.place == place)
            #expect(try StoredJob.count(where: .format("place.name == 'Hall'"), in: context) == 1)
            job.place = place
            #expect(!job.hasChanges)
            job.place = nil
            #expect(job.place == nil && job.hasChanges)
        }
    }

    @Test("survive a save, a fault and a refresh")
    func lives() throws {
        let id = try withJob { job in
            (job.progress, job.tags) = (.doing, ["a"])
            try context.save()
            return job.objectID
        }
        let other = stack.newContext()
        try other.runAndWait {
            let job = try #require(try other.existingObject(with: id) as? StoredJob)
            #expect(job.progress == .doing && job.tags == ["a"])
            job.progress = .done
            other.processPendingChanges()
            #expect(job.hasChanges && job.changedValues().keys.sorted() == ["progress"])
            other.refresh(job, mergeChanges: false)
            #expect(job.isFault && job.progress == .doing && !job.isFault)
            job.progress = .done
            try other.save()
        }
        context.runAndWait {
            context.refreshAllObjects()
            #expect((context.object(with: id) as? StoredJob)?.progress == .done)
        }
    }

    // Apple's undo managers belong to the main actor.
    #if !canImport(ObjectiveC)
    @Test("are undone and redone")
    func undo() throws {
        try withJob { job in
            job.progress = .doing
            try context.save()
            context.undoManager = UndoManager()
            job.progress = .done
            context.processPendingChanges()
            context.undo()
            #expect(job.progress == .doing && job.value(forKey: "progress") as? Int == 1)
            context.redo()
            #expect(job.progress == .done && job.value(forKey: "progress") as? Int == 2)
        }
    }
    #endif

    @Test("leave an object clean that has the value already")
    func equalValues() throws {
        let address = JobAddress(street: "Main St 1", city: "Bern")
        try withJob { job in
            (job.progress, job.mood, job.address) = (.doing, .wild, address)
            // Another writer's order of keys.
            job.setValue(#"{"street":"Main St 1","city":"Bern"}"#, forKey: "text")
            try context.save()
            (job.progress, job.former, job.mood) = (.doing, nil, .wild)
            (job.address, job.textAddress) = (address, address)
            #expect(!job.hasChanges)
            job.address?.city = "Biel"
            #expect(job.hasChanges && job.address?.city == "Biel")
        }
    }

    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    @Test("fill the members of a composite attribute with values of other Swift types that fit")
    func fittingMembers() throws {
        try withJob { job in
            job.numbers = ["floor": -32_768]
            #expect((job.value(forKey: "place") as? [String: Any])?["floor"] as? Int == -32_768)
            #expect(job.numbers == ["floor": -32_768])
            job.truths = ["isInside": true]
            #expect((job.value(forKey: "place") as? [String: Any])?["isInside"] as? Bool == true)
            #expect(job.truths == ["isInside": true])
        }
    }

    @Test(
        "read unknown raw values and broken JSON as nil or the initial value, and do not overwrite them"
    )
    func unreadableValues() throws {
        try withJob { job in
            job.setPrimitiveValue(4711, forKey: "progress")
            job.setPrimitiveValue(4712, forKey: "former")
            job.setPrimitiveValue("furious", forKey: "mood")
            job.setPrimitiveValue(Data("{\"city\":4713}".utf8), forKey: "address")
            job.setPrimitiveValue(Data("4714".utf8), forKey: "tags")
            for _ in 1...2 {
                #expect(job.progress == .open && job.former == nil && job.mood == .wild)
                #expect(job.address == nil && job.tags == ["new"])
            }
            job.number = 1
            try context.save()
            context.refresh(job, mergeChanges: false)
            #expect(job.value(forKey: "progress") as? Int == 4711 && job.value(forKey: "mood") as? String == "furious")
            #expect(job.value(forKey: "address") as? Data == Data("{\"city\":4713}".utf8))
            #expect(job.tags == ["new"])
            job.former = nil
            #expect(job.value(forKey: "former") == nil, "set to what it read as, but not to what it was")
        }
    }

    @Test("of superclasses are properties of subclasses")
    func inheritance() throws {
        try context.runAndWait {
            let errand = try StoredErrand.create(in: context)
            (errand.progress, errand.distance) = (.doing, .done)
            try context.save()
            #expect(try StoredErrand.count(where: { $0.progress == .doing && $0.distance == .done }, in: context) == 1)
        }
    }

    #if !os(iOS) && !os(tvOS) && !os(watchOS) && !os(visionOS)
    // In a process by itself: other tests change the log level.
    @Test("report each unreadable value once")
    func reports() async {
        await #expect(processExitsWith: .success) {
            StoredLog.start()
            let stack = try StoredModel.stack()
            let context = stack.newContext()
            try context.runAndWait {
                let job = try StoredJob.create(in: context)
                job.setPrimitiveValue(4711, forKey: "progress")
                job.setPrimitiveValue("furious", forKey: "mood")
                job.setPrimitiveValue(Data("{\"city\":4713}".utf8), forKey: "address")
                job.setPrimitiveValue(Data(String(repeating: "é", count: 5000).utf8), forKey: "tags")
                for _ in 1...2 { _ = (job.progress, job.mood, job.address, job.tags) }
            }
            let long = StoredLog.lines.filter { $0.contains("é… (10000 bytes)") }
            #expect(long.count == 1 && long[0].utf8.count < 2000, "\(long)")
            for text in ["4711", "furious", "4713"] {
                let lines = StoredLog.lines.filter { $0.contains(text) }
                #expect(lines.count == 1 && lines[0].contains("StoredJob"), "\(text): \(lines)")
            }
        }
    }

    @Test("stop the program for a value that JSON cannot hold, and say which")
    func unencodableValues() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let stack = try StoredModel.stack()
            let context = stack.newContext()
            try context.runAndWait {
                try StoredJob.create(in: context).ratio = JobRatio(value: .infinity)
            }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        for word in ["JobRatio", "\"ratio\" of StoredJob"] { #expect(text.contains(word), "\(text)") }
    }

    @Test("stop the program for a raw value outside the attribute's range")
    func rawValuesOutOfRange() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try StoredModel.withJob { $0.size = .huge }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("100000 is outside the range of the attribute \"size\" of StoredJob"), "\(text)")
    }

    /// The attribute would hold 1, an overflown number, 1 and true.
    @available(macOS 14, *)
    @Test("stop the program for a value that does not fit the member of a composite attribute")
    func misfittingMembers() async {
        let results = await [
            #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                try StoredModel.withJob { $0.numbers = ["floor": 1.5] }
            },
            #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                try StoredModel.withJob { $0.numbers = ["floor": 32_768] }
            },
            #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                try StoredModel.withJob { $0.truths = ["floor": true] }
            },
            #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                try StoredModel.withJob { $0.numbers = ["isInside": 5] }
            },
        ]
        for (result, member) in zip(results, ["floor", "floor", "floor", "isInside"]) {
            let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(text.contains("does not fit the member \"\(member)\""), "\(text)")
        }
    }
    #endif
}

/// What MagicalRecord logs in this process.
enum StoredLog {
    private static let lock = NSLock()
    private nonisolated(unsafe) static var text: [String] = []
    private static let handler: Void = MagicalRecord.setLogHandler { _, message in
        lock.withLock { text.append(message) }
    }

    static func start() { handler }
    static var lines: [String] { lock.withLock { text } }
}
