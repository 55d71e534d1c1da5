import Foundation
import MagicalRecord
import MagicalRecordTestSupport
import Testing

/// Records for properties that are stored as raw values or as JSON. Raw values: `open` is 0, `done` 2; moods are texts.
@Suite("Imports of stored properties") struct StoredImportTests {
    let stack: MagicalRecord.Stack
    let context: NSManagedObjectContext
    static let address = JobAddress(street: "Main St 1", city: "Bern", since: Date(timeIntervalSinceReferenceDate: 0.5))
    /// As `JSONEncoder` writes it, with sorted keys.
    static let addressJSON = #"{"city":"Bern","since":0.5,"street":"Main St 1"}"#

    init() throws {
        stack = try StoredModel.importStack()
        context = stack.newContext()
    }

    private func job(_ json: String) throws -> StoredJob {
        let record = try JSONSerialization.jsonObject(with: Data(json.utf8))
        return try StoredJob.importOne(from: record, in: context)
    }

    private func refusal(_ json: String) throws -> MagicalRecordError? {
        let report = try StoredJob.importAll(from: Data(json.utf8), in: context)
        return report.failures.first?.error as? MagicalRecordError
    }

    // MARK: Raw values

    @Test func rawValues() throws {
        try context.runAndWait {
            let job = try job(#"{"id": 1, "progress": "2", "mood": "wild", "former": null}"#)
            #expect(job.progress == .done && job.mood == .wild && job.former == nil)
            #expect(job.value(forKey: "progress") as? Int == 2)
        }
    }

    @Test(arguments: [
        (#"{"id": 1, "progress": 7}"#, "progress", "7 does not fit the property: JobProgress has no case for it."),
        (#"{"id": 1, "former": "-1"}"#, "former", "JobProgress has no case"),
        (#"{"id": 1, "progress": 1.5}"#, "progress", "1.5 is not a whole number"),
        (#"{"id": 1, "mood": "furious"}"#, "mood", #""furious" does not fit the property: JobMood"#),
        (#"{"id": 1, "mood": ""}"#, "mood", "JobMood has no case"),
        (#"{"id": 1, "mood": 3}"#, "mood", "JobMood has no case"),
    ])
    func unknownRawValues(_ json: String, _ key: String, _ text: String) throws {
        try context.runAndWait {
            let error = try #require(try refusal(json))
            #expect(error.code == .unconvertibleValue && error.record == 0 && error.path == key)
            #expect(error.entity == "StoredJob" && error.key == key && error.message.contains(text), "\(error)")
            #expect(!context.hasChanges)
        }
    }

    @Test("are refused in every mode")
    func modes() async throws {
        let bad: [String: any Sendable] = ["id": 2, "mood": "furious"]
        let records: [[String: any Sendable]] = [["id": 1, "mood": "wild"], bad, ["id": 3, "progress": 2]]
        let report = try await stack.importAll(StoredJob.self, from: .records(records))
        #expect(report.inserted == 2 && report.failures.map(\.index) == [1])
        let strict = MagicalRecord.ImportOptions(stopsAtFirstFailure: true)
        await #expect(throws: MagicalRecordError.self) {
            try await stack.importAll(StoredJob.self, from: .records(records), options: strict)
        }
        try context.runAndWait {
            let job = try #require(try StoredJob.findFirst(where: \.number == 1, in: context))
            #expect(throws: MagicalRecordError.self) { try StoredJob.importOne(from: bad, in: context) }
            #expect(throws: MagicalRecordError.self) { try job.importValues(from: ["mood": "furious"]) }
            #expect(!context.hasChanges)
            // The legacy functions leave the attribute unchanged and import the rest.
            #expect(job.mr_importValuesForKeys(with: ["id": 9, "mood": "furious", "address": ["city": 1]]))
            #expect(job.number == 9 && job.mood == .wild && job.address == nil)
        }
    }

    @Test("are refused in nested records, in subentities and as IDs")
    func places() throws {
        try context.runAndWait {
            let nested = try refusal(#"{"id": 1, "team": {"number": 1, "mood": "furious"}}"#)
            #expect(nested?.path == "team.mood" && nested?.entity == "JobTeam" && nested?.key == "mood")
            let report = try StoredErrand.importAll(
                from: [["id": 1, "distance": 7], ["id": 2, "progress": 7], ["id": 3, "distance": 2]], in: context)
            #expect(report.failures.map { ($0.error as? MagicalRecordError)?.key } == ["distance", "progress"])
            #expect(try StoredErrand.findFirst(in: context)?.distance == .done)
        }
        let other = try StoredModel.importStack(teamKey: "mood").newContext()
        try other.runAndWait {
            let report = try StoredJob.importAll(
                from: [["id": 1, "team": "wild"], ["id": 2, "team": "furious"]], in: other)
            #expect(try JobTeam.findAll(in: other).map(\.mood) == [.wild])
            let error = report.failures.first?.error as? MagicalRecordError
            #expect(error?.record == 1 && error?.path == "team" && error?.entity == "JobTeam")
        }
    }

    // MARK: Codable values

    @Test(
        "are read from JSON objects, from their text, and from base64",
        arguments: [
            addressJSON, #"{"street": "Main St 1", "more": [1], "since": "2001-01-01T00:00:00.5Z", "city": "Bern"}"#,
            #""{\"street\": \"Main St 1\", \"city\": \"Bern\", \"since\": 0.5}""#,
            "\"\(Data(addressJSON.utf8).base64EncodedString())\"",
        ])
    func documents(_ json: String) throws {
        try context.runAndWait {
            let job = try job(#"{"id": 1, "address": \#(json), "text": \#(json), "tags": ["a", "b"]}"#)
            #expect(job.address == Self.address && job.textAddress == Self.address && job.tags == ["a", "b"])
            #expect(job.value(forKey: "address") as? Data == Data(Self.addressJSON.utf8))
            #expect(job.value(forKey: "text") as? String == Self.addressJSON)
        }
    }

    @Test("are read from values that JSON does not have")
    func values() throws {
        let record: [String: Any] = ["street": "Main St 1", "city": "Bern", "since": Self.address.since as Any]
        try context.runAndWait {
            let job = try StoredJob.importOne(
                from: ["id": 1, "address": record, "text": Data(Self.addressJSON.utf8)] as [String: Any], in: context)
            #expect(job.address == Self.address && job.textAddress == Self.address)
            #expect(throws: MagicalRecordError.self) {
                try job.importValues(from: ["text": ["city": NSObject()]] as [String: Any])
            }
        }
    }

    @Test(arguments: [
        (#""address": {"street": 1, "city": "a"}"#, "address.street", "An object does not fit the property: "),
        (#""text": {"street": "a"}"#, "text.city", #"There is no value for "city"."#),
        (#""text": "{\"street\": \"a\"}""#, "text.city", #"There is no value for "city"."#),
        (#""text": "Main St 1, Bern""#, "text", #""Main St 1, Bern" does not fit the property"#),
        (#""address": [1]"#, "address", "A list of 1 values does not fit"),
        (#""address": {"street": "a", "city": "b", "since": "soon"}"#, "address.since", #""soon" is no date."#),
        (#""tags": ["a", 1]"#, "tags[1]", "does not fit"),
    ])
    func undecodableDocuments(_ json: String, _ path: String, _ text: String) throws {
        try context.runAndWait {
            let error = try #require(try refusal("{\"id\": 1, \(json)}"))
            #expect(error.code == .unconvertibleValue && error.path == path && error.key != nil, "\(error)")
            #expect(error.entity == "StoredJob" && error.message.contains(text), "\(error)")
            #expect(!context.hasChanges)
        }
    }

    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    @Test("are read from the members of a composite attribute")
    func composites() throws {
        try context.runAndWait {
            let json = #"{"name": "Hall", "isInside": true, "floor": "2", "since": "2001-01-01T00:00:07Z"}"#
            let job = try job("{\"id\": 1, \"place\": \(json)}")
            let since = Date(timeIntervalSinceReferenceDate: 7)
            #expect(job.place == JobPlace(name: "Hall", isInside: true, floor: 2, since: since))
            #expect(try StoredJob.count(where: .format("place.floor == 2"), in: context) == 1)
            let missing = try refusal(#"{"id": 2, "place": {"name": "Hall"}}"#)
            #expect(missing?.path == "place.isInside" && missing?.key == "place")
            let type = try refusal(#"{"id": 2, "place": {"name": "Hall", "isInside": true, "floor": "x"}}"#)
            #expect(type?.path == "place.floor")
        }
    }

    @Test("leave an object unchanged that has an equal value")
    func equalValues() throws {
        try context.runAndWait {
            let job = try job(
                #"{"id": 1, "progress": 2, "address": \#(Self.addressJSON), "text": \#(Self.addressJSON)}"#)
            // Another writer's order of keys.
            let other = #"{"street":"Main St 1","since":0.5,"city":"Bern"}"#
            job.setPrimitiveValue(other, forKey: "text")
            try context.save()
            let same: [[String: Any]] = [
                [
                    "id": 1, "progress": 2, "address": other,
                    "text": ["street": "Main St 1", "city": "Bern", "since": 0.5],
                ]
            ]
            #expect(try StoredJob.importAll(from: same, in: context).unchanged == 1)
            #expect(!context.hasChanges && job.value(forKey: "text") as? String == other)
            let changed: [[String: Any]] = [["id": 1, "text": ["street": "Main St 2", "city": "Bern"]]]
            #expect(try StoredJob.importAll(from: changed, in: context).updated == 1)
            #expect(job.textAddress?.street == "Main St 2" && job.progress == .done)
            #expect(try StoredJob.importAll(from: [["id": 1, "text": NSNull()]], in: context).updated == 1)
            #expect(job.textAddress == nil)
        }
    }
}

extension StoredModel {
    /// A stack in which jobs, and teams, are identified by a number.
    static func importStack(teamKey: String = "number") throws -> MagicalRecord.Stack {
        let model = make()
        model.entitiesByName["StoredJob"]?.userInfo = ["relatedByAttribute": "number"]
        model.entitiesByName["JobTeam"]?.userInfo = ["relatedByAttribute": teamKey]
        return try MagicalRecord.Stack(
            [ScratchStores.new("Jobs.sqlite")], shape: .server, model: .model(model))
    }
}
