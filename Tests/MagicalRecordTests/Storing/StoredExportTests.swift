import Foundation
import MagicalRecord
import MagicalRecordTestSupport
import Testing

@Suite("Exports of stored properties") struct StoredExportTests {
    let stack: MagicalRecord.Stack
    let context: NSManagedObjectContext

    init() throws {
        stack = try StoredModel.importStack()
        context = stack.newContext()
    }

    @Test("are raw values and JSON objects, not texts or base64")
    func forms() throws {
        try context.runAndWait {
            let job = try StoredJob.create(in: context)
            (job.number, job.progress, job.mood, job.tags) = (1, .done, .wild, ["a", "b"])
            job.address = JobAddress(
                street: "Main St 1", city: "Bern", since: Date(timeIntervalSinceReferenceDate: 0.5))
            job.textAddress = JobAddress(street: "\"1/2\"", city: "ü")
            let json = try [job].exportedJSON(.init(depth: 0))
            let expected =
                #"[{"address":{"city":"Bern","since":0.5,"street":"Main St 1"},"id":1,"mood":"wild","progress":2,"#
                + #""tags":["a","b"],"text":{"city":"ü","street":"\"1\/2\""}}]"#
            #expect(String(decoding: json, as: UTF8.self) == expected)
        }
    }

    @Test("are imported as equal objects")
    func roundTrip() throws {
        let since = Date(timeIntervalSinceReferenceDate: 812_345_678.123456)
        let address = JobAddress(street: "Main St 1", city: "Bern", since: since)
        let json = try context.runAndWait {
            let job = try StoredJob.create(in: context)
            (job.number, job.progress, job.former, job.mood) = (1, .doing, .done, .wild)
            (job.address, job.textAddress, job.tags) = (address, address, [])
            if #available(macOS 14, iOS 17, tvOS 17, watchOS 10, *) {
                job.place = JobPlace(name: "Hall", isInside: false, floor: -1, since: Date(timeIntervalSince1970: 7))
            }
            job.team = try JobTeam.create(in: context) { ($0.number, $0.mood) = (1, .calm) }
            try context.save()
            return try [job].exportedJSON()
        }
        let other = try StoredModel.importStack().newContext()
        try other.runAndWait {
            #expect(try StoredJob.importAll(from: json, in: other).inserted == 1)
            let job = try #require(try StoredJob.findFirst(in: other))
            #expect(job.progress == .doing && job.former == .done && job.mood == .wild && job.team?.mood == .calm)
            #expect(job.address == address && job.textAddress == address && job.tags == [])
            if #available(macOS 14, iOS 17, tvOS 17, watchOS 10, *) {
                let place = JobPlace(name: "Hall", isInside: false, floor: -1, since: Date(timeIntervalSince1970: 7))
                #expect(job.place == place)
            }
            #expect(try [job].exportedJSON() == json)
        }
        try context.runAndWait { () throws in
            #expect(try StoredJob.importAll(from: json, in: context).unchanged == 1)
            #expect(!context.hasChanges)
        }
    }

    /// Nothing is lost: an import of the result says what is wrong with it.
    @Test("have values that the property cannot read as they are stored")
    func unreadableValues() throws {
        try context.runAndWait {
            let job = try StoredJob.create(in: context)
            job.setPrimitiveValue(47, forKey: "progress")
            job.setPrimitiveValue("{\"city", forKey: "text")
            job.setPrimitiveValue(Data("{\"city\":1}".utf8), forKey: "address")
            let record = try job.exported()
            #expect(record["progress"] as? Int == 47 && record["text"] as? String == "{\"city")
            #expect(record["address"] as? [String: Int] == ["city": 1])
            let report = try StoredJob.importAll(from: [record], in: context)
            #expect(report.failures.count == 1)
        }
    }
}
